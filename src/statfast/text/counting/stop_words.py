# SPDX-License-Identifier: BSD-3-Clause
"""Stop words and stemmers of languages.

English stop words are the list of the Glasgow Information Retrieval Group. It is in wide use, so
that counts agree with those of others: odd entries, such as "system" and "computer", and "cry" and
"fire", belong to it. Other languages, and all stemmers, come from packages that are optional.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from statfast._validation import as_choice, wrong_type

_WORDS = """
a about above across after afterwards again against all almost alone along already also
although always am among amongst amoungst amount an and another any anyhow anyone anything
anyway anywhere are around as at back be became because become becomes becoming been before
beforehand behind being below beside besides between beyond bill both bottom but by call can
cannot cant co con could couldnt cry de describe detail do done down due during each eg
eight either eleven else elsewhere empty enough etc even ever every everyone everything
everywhere except few fifteen fifty fill find fire first five for former formerly forty
found four from front full further get give go had has hasnt have he hence her here
hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in
inc indeed interest into is it its itself keep last latter latterly least less ltd made many
may me meanwhile might mill mine more moreover most mostly move much must my myself name
namely neither never nevertheless next nine no nobody none noone nor not nothing now nowhere
of off often on once one only onto or other others otherwise our ours ourselves out over own
part per perhaps please put rather re same see seem seemed seeming seems serious several she
should show side since sincere six sixty so some somehow someone something sometime
sometimes somewhere still such system take ten than that the their them themselves then
thence there thereafter thereby therefore therein thereupon these they thick thin third this
those though three through throughout thru thus to together too top toward towards twelve
twenty two un under until up upon us very via was we well were what whatever when whence
whenever where whereafter whereas whereby wherein whereupon wherever whether which while
whither who whoever whole whom whose why will with within without would yet you your yours
yourself yourselves
"""
ENGLISH = frozenset(_WORDS.split())


class LanguageWords(frozenset[str]):
    """Stop words of a language: where accents are stripped from texts, they are from these, too."""


def stop_words_of(language: str, name: str) -> frozenset[str]:
    """The stop words of a language; English has the list of this file."""
    if language == "english":
        return ENGLISH
    try:
        import stop_words
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(f"{name}={language!r}", "stop-words")) from error
    known = sorted(stop_words.AVAILABLE_LANGUAGES)
    as_choice(language, name, (None, *known))
    return LanguageWords(stop_words.get_stop_words(language))


def as_stemmer(stemmer: Any, name: str) -> Callable[[str], str] | None:
    """None, a function from a word to its stem, or that of a language."""
    if stemmer is None or callable(stemmer):
        return stemmer
    if not isinstance(stemmer, str):
        raise wrong_type(name, "None, the name of a language or a function", stemmer)
    try:
        import snowballstemmer
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(f"{name}={stemmer!r}", "snowballstemmer")) from error
    as_choice(stemmer, name, (None, *snowballstemmer.algorithms()))
    return snowballstemmer.stemmer(stemmer).stemWord


def missing(setting: str, package: str) -> str:
    return (
        f"{setting} needs the package {package}, which is not installed. Install it with: "
        'pip install "statfast[text]"'
    )
