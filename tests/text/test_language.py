# SPDX-License-Identifier: BSD-3-Clause
"""Language models: published answers, sums to 1, the definition of modified Kneser-Ney, ARPA."""

import gzip
import math
import pickle
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast.text import (
    LanguageModelClassifier,
    NGramLanguageModel,
    read_arpa,
    simple_good_turing,
    write_arpa,
)
from statfast.text.language.ngram_counts import distinct
from statfast.text.language.parameters import METHODS, numbered

PROPER = [name for name in METHODS if name != "stupid_backoff"]

# ------------------------------------------------------------------ published answers

NLTK = [list("abcd"), list("egadbe")]


def as_in_nltk(order, smoothing, **params):
    model = NGramLanguageModel(order, smoothing, vocabulary=list("abcdz"), padding="full", **params)
    return model.fit(NLTK)


@pytest.mark.parametrize(
    ("order", "smoothing", "params", "word", "context", "want"),
    [
        (2, "mle", {}, "d", "c", 1.0),
        (2, "mle", {}, "a", "", 2 / 14),
        (2, "additive", {"alpha": 0.1}, "d", "c", 1.1 / 1.8),
        (2, "additive", {"alpha": 0.1}, "a", "", 2.1 / 14.8),
        (2, "additive", {}, "d", "c", 2 / 9),
        (2, "additive", {}, "a", "", 3 / 22),
        (3, "witten_bell", {"uniform": False}, "c", "b", 0.25 + 0.5 / 18),
        (3, "witten_bell", {"uniform": False}, "c", "ab", 0.5 + 0.5 * (0.25 + 0.5 / 18)),
        (3, "kneser_ney", {"discount": 0.75, "uniform": False}, "c", "", 1 / 14),
        (3, "kneser_ney", {"discount": 0.75, "uniform": False}, "c", "b", 0.125 + 0.75 / 14),
        (
            3, "kneser_ney", {"discount": 0.75, "uniform": False}, "c", "ab",
            0.25 + 0.75 * (0.125 + 0.75 / 14),
        ),
        (3, "kneser_ney", {"discount": 0.75, "uniform": False}, "nobody", "", 3 / 14),
    ],
)  # fmt: skip
def test_nltks_answers(order, smoothing, params, word, context, want):
    model = as_in_nltk(order, smoothing, **params)
    assert model.score(word, list(context)) == pytest.approx(want, rel=1e-12)


TOY = ["a a b a", "b a a b"]  # KenLM's toy0.arpa


@pytest.mark.parametrize(
    ("gram", "want"),
    [
        ("<unk>", -0.90309), ("a", -0.46943438), ("b", -0.5720968), ("</s>", -0.5720968),
        ("<s> a", -0.37712017), ("a b", -0.58682007), ("<s> a a", -0.14885087),
        ("a a b", -0.20102891),
    ],
)  # fmt: skip
def test_kenlms_answers(gram, want, tmp_path):
    model = NGramLanguageModel(3, "modified_kneser_ney").fit(TOY)
    *context, word = gram.split()
    assert model.log_score(word, context) / math.log(10) == pytest.approx(want, abs=1e-7)
    write_arpa(model, tmp_path / "toy.arpa")
    lines = dict(
        reversed(line.split("\t")[:2])
        for line in (tmp_path / "toy.arpa").read_text("utf-8").splitlines()
        if "\t" in line
    )
    assert float(lines[gram]) == pytest.approx(want, abs=1e-7)


PROSODY = """
1 120 2 40 3 24 4 13 5 15 6 5 7 11 8 2 9 2 10 1 12 3 14 2 15 1 16 1 17 3 19 1 20 3 21 2
23 3 24 3 25 3 26 2 27 2 28 1 31 2 32 2 33 1 34 2 36 2 41 3 43 1 45 3 46 1 47 1 50 1 71 1 84 1 101 1
105 1 121 1 124 1 146 1 162 1 193 1 199 1 224 1 226 1 254 1 257 1 339 1 421 1 456 1 481 1 483 1
1140 1 1256 1 1322 1 1530 1 2131 1 2395 1 6925 1 7846 1"""


def test_good_turing_of_prosody():
    """Gale's data and answers."""
    numbers = list(map(int, PROSODY.split()))
    frequencies = dict(zip(numbers[::2], numbers[1::2], strict=True))
    unseen, expected = simple_good_turing(frequencies)
    assert unseen == pytest.approx(0.003883244, rel=1e-6)
    want = [0.7628079, 1.706448, 2.679796, 3.663988, 4.653366, 5.645628]
    assert_allclose([expected[r] for r in range(1, 7)], want, rtol=1e-6)
    assert expected[7846] == pytest.approx(7838.899, rel=1e-6)
    with pytest.raises(ValueError, match="frequencies must map counts"):
        simple_good_turing({0: 3})
    assert simple_good_turing({2: 5}) == (0.0, {2: 2.0})


# ------------------------------------------------------------------ by definition


def texts(seed, n=40, words=12):
    rng = np.random.default_rng(seed)
    return [[f"w{k}" for k in rng.zipf(1.6, rng.integers(0, 9)) if k < words] for _ in range(n)]


@pytest.mark.once
@pytest.mark.parametrize("smoothing", PROPER)
@pytest.mark.parametrize("padding", ["single", "full", "none"])
@given(seed=st.integers(0, 10**6), order=st.integers(1, 4))
def test_probabilities_sum_to_one(smoothing, padding, seed, order):
    documents = texts(seed)
    model = NGramLanguageModel(order, smoothing, padding=padding, min_count=2).fit(documents)
    symbols = {"single": {"<s>"}, "full": set(), "none": {"<s>", "</s>"}}[padding]
    words = [w for w in model.vocabulary_ if w not in symbols]
    for context in ([], ["<s>"], ["w1"], ["w1", "w2"], ["w2", "w1", "w1"], ["nobody", "w3"]):
        total = sum(model.score(word, context) for word in words)
        assert total == pytest.approx(1.0, abs=1e-9)


def modified_kneser_ney(documents, order):
    """Chen and Goodman (1999), by dictionaries."""
    padded = [["<s>", *text, "</s>"] for text in documents]
    raw = [Counter() for _ in range(order + 1)]
    for text in padded:
        for n in range(1, order + 1):
            raw[n].update(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
    adjusted = [None, *raw[1:]]
    for n in range(1, order):
        before = defaultdict(set)
        for gram in raw[n + 1]:
            before[gram[1:]].add(gram[0])
        adjusted[n] = {g: c if g[0] == "<s>" else len(before[g]) for g, c in raw[n].items()}
    adjusted[1] = {g: c for g, c in adjusted[1].items() if g != ("<s>",)}
    vocabulary = {w for text in padded for w in text} - {"<s>"} | {"<unk>"}

    def discounts(n):
        often = Counter(adjusted[n].values())
        if not all(often[k] for k in (1, 2, 3, 4)):
            return 0.5, 1.0, 1.5
        y = often[1] / (often[1] + 2 * often[2])
        found = [k - (k + 1) * y * often[k + 1] / often[k] for k in (1, 2, 3)]
        fine = all(0 <= d <= k for k, d in enumerate(found, start=1))
        return found if fine else (0.5, 1.0, 1.5)

    d = [None, *(discounts(n) for n in range(1, order + 1))]

    def probability(word, context):
        if context is None:
            return 1.0 / len(vocabulary)
        n = len(context) + 1
        shorter = context[1:] if context else None
        after = [c for g, c in adjusted[n].items() if g[:-1] == context]
        if not after:
            return probability(word, shorter)
        count = adjusted[n].get((*context, word), 0)
        kept = max(count - (d[n][min(count, 3) - 1] if count else 0.0), 0.0)
        rest = sum(d[n][min(c, 3) - 1] for c in after)
        return (kept + rest * probability(word, shorter)) / sum(after)

    return probability, vocabulary


@pytest.mark.parametrize("order", [1, 2, 3])
def test_modified_kneser_ney_by_definition(order):
    documents = texts(3, n=150, words=30)
    model = NGramLanguageModel(order, "modified_kneser_ney").fit(documents)
    want, vocabulary = modified_kneser_ney(documents, order)
    contexts = [(), ("<s>",), ("w1",), ("w1", "w2"), ("<s>", "w1"), ("w2", "w7"), ("w5", "w5")]
    for context in contexts:
        seen = context[max(0, len(context) - order + 1) :] if order > 1 else ()
        for word in sorted(vocabulary):
            assert model.score(word, context) == pytest.approx(want(word, seen), rel=1e-10)


def test_stupid_backoff():
    model = NGramLanguageModel(2, "stupid_backoff").fit(["a b a b", "a c"])
    assert model.score("b", ["a"]) == pytest.approx(2 / 3)
    assert model.score("a", ["c"]) == pytest.approx(0.4 * 3 / 8)


def test_jelinek_mercer_with_given_weights():
    model = NGramLanguageModel(2, "jelinek_mercer", weights=[0.9, 0.6]).fit(["a b a b", "a c"])
    words = 5  # a, b, c, </s>, <unk>
    unigram = 0.9 * 2 / 8 + 0.1 / words
    assert model.score("b", ["a"]) == pytest.approx(0.6 * 2 / 3 + 0.4 * unigram)


# ------------------------------------------------------------------ perplexity, unknown words


def test_both_conventions_of_perplexity():
    model = NGramLanguageModel(2, "kneser_ney").fit(["a b a", "b a", "c a b"])
    text = ["a b zebra"]
    steps = [("a", "<s>"), ("b", "a"), ("<unk>", "b"), ("</s>", "<unk>")]
    logs = np.array([model.log_score(word, [before]) for word, before in steps])
    assert model.log_prob(text)[0] == pytest.approx(logs.sum())
    assert model.perplexity(text) == pytest.approx(np.exp(-logs.mean()))
    assert model.perplexity(text, include_end=False) == pytest.approx(np.exp(-logs[:3].mean()))
    without = np.exp(-logs[[0, 1, 3]].mean())
    assert model.perplexity(text, include_unknown=False) == pytest.approx(without)
    assert model.oov_rate(text) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="raw_documents have no words to be counted"):
        model.perplexity(["zebra"], include_end=False, include_unknown=False)


def test_unknown_words_and_empty_texts():
    mle = NGramLanguageModel(2, "mle").fit(["a b", ""])
    assert mle.score("zebra", ["a"]) == 0.0
    assert mle.perplexity(["zebra"]) == np.inf
    assert mle.log_prob([""])[0] == pytest.approx(math.log(0.5))
    rare = NGramLanguageModel(1, "mle", min_count=2).fit(["a a b"])
    assert rare.score("b") == rare.score("zebra") == pytest.approx(1 / 4)
    assert rare.log_prob([]).shape == (0,)


def test_long_texts_are_scored_in_pieces(monkeypatch):
    from statfast.text.language import model as module

    documents = texts(5)
    model = NGramLanguageModel(3).fit(documents)
    want = model.log_prob(documents)
    monkeypatch.setattr(module, "WORDS_PER_CALL", 7)
    assert_array_equal(model.log_prob(documents), want)


# ------------------------------------------------------------------ sums, files, samples


@pytest.mark.parametrize("smoothing", METHODS)
def test_partial_fits_add_up(smoothing):
    documents = texts(6)
    whole = NGramLanguageModel(3, smoothing).fit(documents)
    part = NGramLanguageModel(3, smoothing)
    for some in (documents[:10], documents[10:11], documents[11:]):
        part = pickle.loads(pickle.dumps(part.partial_fit(some)))
    assert part.vocabulary_ == whole.vocabulary_
    assert_allclose(part.log_prob(documents), whole.log_prob(documents), rtol=1e-12)
    with pytest.raises(ValueError, match="order and padding must be those of the first fit"):
        part.set_params(order=2).partial_fit(documents)


@pytest.mark.parametrize("smoothing", [m for m in METHODS if m != "additive"])
def test_models_come_back_from_arpa(smoothing, tmp_path):
    documents = texts(7)
    model = NGramLanguageModel(3, smoothing).fit(documents)
    write_arpa(model, tmp_path / "model.arpa")
    again = read_arpa(tmp_path / "model.arpa")
    assert again.vocabulary_ == model.vocabulary_
    known = model.log_prob(documents)
    assert_allclose(again.log_prob(documents), known, rtol=1e-12)
    assert again.score("zebra", ["w1"]) == pytest.approx(model.score("zebra", ["w1"]), rel=1e-12)
    assert again.sample(3, random_state=0) == model.sample(3, random_state=0)


def test_broken_arpa_files(tmp_path):
    path = tmp_path / "broken.arpa"
    head, tail = "\\data\\\nngram 1=1\n\n\\1-grams:\n", "\n\n\\end\\\n"
    for text in (
        "nothing", "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta" + tail, f"{head}x\ta{tail}",
        f"{head}nan\ta{tail}", f"{head}0.1\ta{tail}", f"{head}-1\ta\tinf{tail}", f"{head}-1{tail}",
        "\\data\\" + tail, "\\data\\\nngram 1=x" + tail, "\\data\\\nngram 2=0\n\n\\2-grams:" + tail,
        f"{head}-1\t\xff{tail}",
    ):  # fmt: skip
        path.write_text(text, "latin-1")
        with pytest.raises(ValueError, match="path is not in ARPA's format"):
            read_arpa(path)
    path.write_text(
        "\\data\\\nngram 1=1\nngram 2=1\n\n\\1-grams:\n-1\ta\n\n\\2-grams:\n-1\ta b\n\n\\end\\\n",
        "utf-8",
    )
    with pytest.raises(ValueError, match="path holds 2-grams of words without an entry"):
        read_arpa(path)
    for text, n in ((f"{head}-1\ta\n-1\ta{tail}".replace("1=1", "1=2"), 1), (
        "\\data\\\nngram 1=1\nngram 2=2\n\n\\1-grams:\n-1\ta\n\n\\2-grams:\n-1\ta a\n-1\ta a"
        + tail, 2,
    )):  # fmt: skip
        path.write_text(text, "utf-8")
        with pytest.raises(ValueError, match=rf"path holds 1 {n}-gram\(s\) twice"):
            read_arpa(path)
    for wrong in (3, None, 2.5, b"toy.arpa", "a\0b"):
        with pytest.raises(TypeError, match="path must be the name of a file"):
            read_arpa(wrong)
        with pytest.raises(TypeError, match="path must be the name of a file"):
            write_arpa(NGramLanguageModel(2).fit(["a b"]), wrong)
    with pytest.raises(TypeError, match="model must be an NGramLanguageModel"):
        write_arpa(LanguageModelClassifier(), path)
    with pytest.raises(ValueError, match="additive smoothing is none"):
        write_arpa(NGramLanguageModel(2, "additive").fit(["a b"]), path)


@pytest.mark.parametrize("smoothing", PROPER)
def test_samples_follow_the_model(smoothing):
    documents = texts(8, n=60, words=5)
    model = NGramLanguageModel(2, smoothing).fit(documents)
    drawn = model.sample(4000, max_length=400, random_state=1)
    assert drawn == model.sample(4000, max_length=400, random_state=1)
    firsts = Counter(text[0] if text else "</s>" for text in drawn)
    for word in model.vocabulary_:
        if word != "<s>":
            want = model.score(word, ["<s>"])
            assert firsts[word] / 4000 == pytest.approx(want, abs=0.035)
    after = Counter(
        b for t in drawn if t for a, b in zip(t, [*t[1:], "</s>"], strict=True) if a == "w1"
    )
    total = sum(after.values())
    for word in ("w1", "w2", "</s>"):
        assert after[word] / total == pytest.approx(model.score(word, ["w1"]), abs=0.04)
    begun = model.sample(2, prompt=["w1", "w2"], random_state=0)
    assert all(text[:2] == ["w1", "w2"] for text in begun)


@pytest.mark.parametrize(
    ("params", "documents", "error", "words"),
    [
        ({}, "one text", ValueError, "raw_documents must be a list of texts"),
        ({}, [], ValueError, "raw_documents must hold at least one text"),
        ({}, [3], TypeError, "raw_documents must be a list of strings"),
        ({}, [[3]], TypeError, "raw_documents must hold words"),
        ({"order": 0}, ["a"], ValueError, "order must be"),
        ({"order": 33}, ["a"], ValueError, "order must be"),
        ({"smoothing": "magic"}, ["a"], ValueError, "smoothing must be"),
        ({"alpha": 0.0}, ["a"], ValueError, "alpha must be greater"),
        ({"discount": 2.0}, ["a"], ValueError, "discount must be at most"),
        ({"weights": [0.1]}, ["a"], ValueError, "weights must have one for each of 3 orders"),
        ({"vocabulary": []}, ["a"], ValueError, "vocabulary must hold words"),
        ({"padding": "double"}, ["a"], ValueError, "padding must be"),
        ({"min_count": 0}, ["a"], ValueError, "min_count must be at least 1"),
        ({"tokenizer": 3}, ["a"], TypeError, "tokenizer must be"),
        ({"tokenizer": print}, ["a"], TypeError, "what tokenizer returns must be a list of words"),
        ({"vocabulary": np.array(1)}, ["a"], TypeError, "vocabulary must be a list of words"),
        ({"weights": np.array(0.5)}, ["a"], TypeError, "weights must be a list of numbers"),
        ({}, np.array("a"), TypeError, "raw_documents must be a list of texts"),
    ],
)
def test_refusals(params, documents, error, words):
    with pytest.raises(error, match=words):
        NGramLanguageModel(**params).fit(documents)
    for model in (NGramLanguageModel(), LanguageModelClassifier()):
        with pytest.raises(ValueError, match="not fitted"):
            (model.log_prob if isinstance(model, NGramLanguageModel) else model.predict)(["a"])


# ------------------------------------------------------------------ documents


def test_documents_by_their_models():
    documents, y = ["a b a", "a a b", "c d c", "d c"], np.array(["x", "x", "y", "y"])
    model = LanguageModelClassifier(order=2, smoothing="witten_bell").fit(documents, y)
    assert model.score(documents, y) == 1.0
    p = model.predict_proba(["a c", "zebra", ""])
    assert_allclose(p.sum(axis=1), 1.0)
    joint = [
        np.log(0.5) + NGramLanguageModel(2, "witten_bell", vocabulary=list("abcd"))
        .fit(documents[s]).log_prob(["a c"])[0] for s in (slice(2), slice(2, 4))
    ]  # fmt: skip
    assert_allclose(model.predict_joint_log_proba(["a c"])[0], joint)
    never = LanguageModelClassifier(order=1, smoothing="mle").fit(documents, y)
    assert_allclose(never.predict_proba(["a c"]), [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda: LanguageModelClassifier(order=2, smoothing="kneser_ney"), 0.025),
        (lambda: LanguageModelClassifier(order=1, smoothing="additive"), 0.03),
    ],
)
def test_spam_error_is_that_of_the_literature(shared_data, make, most):
    """1.1 to 2.5 percent, by ten folds, for naive Bayes on these messages (Almeida et al. 2011)."""
    path = shared_data("spam", "SMSSpamCollection.gz")
    lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    y, messages = zip(*(line.split("\t", 1) for line in lines), strict=True)
    y, messages = np.array(y), np.array([m.lower() for m in messages], dtype=object)
    wrong = 0
    for k in range(10):
        held = np.arange(len(y)) % 10 == k
        model = make().fit(messages[~held], y[~held])
        wrong += int((model.predict(messages[held]) != y[held]).sum())
    assert 0.005 < wrong / len(y) < most


@pytest.mark.parametrize(
    "frequencies", [3, 1j, b"x", "ab", [1, 2], None, {"a": 1}, {1: "a"}, {1: 2, "b": 3}, {1: 0.5}]
)
def test_frequencies_are_a_mapping(frequencies):
    with pytest.raises(TypeError, match="frequencies must be a dict"):
        simple_good_turing(frequencies)


def test_a_string_is_words():
    model = NGramLanguageModel(3).fit(["the cat sat", "the dog sat"])
    assert model.score("sat", "the cat") == model.score("sat", ["the", "cat"])
    assert model.sample(3, prompt="the cat", random_state=0) == model.sample(
        3, prompt=["the", "cat"], random_state=0
    )
    with pytest.raises(TypeError, match="prompt must be a list of words"):
        model.sample(prompt=3)
    with pytest.raises(TypeError, match="context must be a list of words"):
        model.score("sat", 3)
    for many in ({"n_samples": 2**62}, {"max_length": 2**62}):
        with pytest.raises(MemoryError, match=next(iter(many))):
            model.sample(**many)


# ------------------------------------------------------------------ words and rows as numbers


@given(st.lists(st.lists(st.text("aбΣ\ud800𝔸 ", max_size=3), max_size=5), max_size=5))
def test_words_are_numbered_in_their_order(documents):
    number = {"<unk>": 0, "a": 1}
    words, begin = numbered(documents, number)
    everything = [word for text in documents for word in text]
    assert list(number)[:2] == ["<unk>", "a"]
    assert list(number)[2:] == sorted(set(everything) - {"<unk>", "a"})
    assert list(number.values()) == list(range(len(number)))
    assert words.tolist() == [number[word] for word in everything]
    assert begin.tolist() == np.cumsum([0, *map(len, documents)]).tolist()


@pytest.mark.parametrize("most", [2, 40, 2**20, 2**31 - 2])
@given(seed=st.integers(0, 10**6), order=st.integers(1, 5))
def test_equal_rows_are_counted(most, seed, order):
    """Whether words fit into one number side by side or not."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, most, size=(rng.integers(1, 40), order)).astype(np.int32)
    rows = rows[rng.integers(len(rows), size=60)]
    want = Counter(map(tuple, rows.tolist()))
    for counts in (None, np.ones(len(rows), np.int64)):
        found = distinct(rows, counts)
        assert list(map(tuple, found.rows.tolist())) == sorted(want)
        assert found.counts.tolist() == [want[row] for row in sorted(want)]


@pytest.mark.parametrize("word", [3, None, b"a", ["a"]])
def test_words_are_strings(word):
    documents = [["a", "b"], ["a", word]]
    model = NGramLanguageModel().fit(documents[:1])
    for ask in (NGramLanguageModel().fit, model.log_prob, model.perplexity, model.oov_rate):
        with pytest.raises(TypeError, match="raw_documents must hold words; got"):
            ask(documents)
    with pytest.raises(TypeError, match="raw_documents must hold words; got"):
        LanguageModelClassifier().fit(documents, [0, 1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "documents", [["a b"] * 9, ["a b c"] * 7 + ["b"] * 8, ["a"], ["a a a a a a"]]
)
def test_good_turing_leaves_something_to_the_unseen(documents):
    """Where nothing was seen so rarely that its count is lowered."""
    model = NGramLanguageModel(2, "good_turing", vocabulary=["a", "b", "c", "d"]).fit(documents)
    words = [*"abcd", "<unk>", "</s>"]
    for context in ((), ("a",), ("b",), ("<s>",), ("d",)):
        p = [model.score(word, context) for word in words]
        assert min(p) > 0.0
        assert sum(p) == pytest.approx(1.0)


def test_words_that_are_not_utf8(tmp_path):
    model = NGramLanguageModel(2).fit(["a \ud800"])
    with pytest.raises(ValueError, match="a word of ARPA's format must be UTF-8"):
        write_arpa(model, tmp_path / "model.arpa")


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("smoothing", METHODS)
def test_a_weight_is_a_repeated_text(smoothing):
    documents = texts(9)
    times = np.random.default_rng(0).integers(0, 4, len(documents))
    again = [text for text, n in zip(documents, times, strict=True) for _ in range(n)]
    model = NGramLanguageModel(3, smoothing, min_count=2)
    want = model.fit(again).log_prob(documents)
    assert_allclose(model.fit(documents, sample_weight=times).log_prob(documents), want)
    part = NGramLanguageModel(3, smoothing, min_count=2)
    part.partial_fit(documents[:9], None, times[:9]).partial_fit(documents[9:], None, times[9:])
    assert_allclose(part.log_prob(documents), want)
    y = np.arange(len(documents)) % 3
    times[y == 2] = 0
    rule = LanguageModelClassifier(2, smoothing)
    weighted = rule.fit(documents, y, sample_weight=times).predict_proba(documents)
    assert rule.classes_.tolist() == [0, 1]
    again = [text for text, n in zip(documents, times, strict=True) for _ in range(n)]
    assert_allclose(weighted, rule.fit(again, np.repeat(y, times)).predict_proba(documents))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0.5, 1.0], "sample_weight must be whole numbers"),
        ([1.0, -1.0], "sample_weight must not be negative"),
        ([1.0], "sample_weight must have shape"),
        ([0, 0], "sample_weight is zero for every row"),
    ],
)
def test_weights_of_texts_are_whole_numbers(weights, words):
    for model in (NGramLanguageModel(), LanguageModelClassifier()):
        with pytest.raises(ValueError, match=words):
            model.fit(["a b", "b c"], [0, 1], weights)


def test_texts_of_an_arrow_array():
    arrow = pytest.importorskip("pyarrow")
    texts = ["the cat sat", "a dog", "the dog sat"]
    plain, other = NGramLanguageModel(2).fit(texts), NGramLanguageModel(2).fit(arrow.array(texts))
    assert other.perplexity(arrow.array(texts)) == plain.perplexity(texts)
    model = LanguageModelClassifier().fit(arrow.array(texts), [0, 1, 0])
    assert_array_equal(model.predict(arrow.array(texts)), model.predict(texts))


def test_a_classifier_of_texts_says_so():
    tags = LanguageModelClassifier().__sklearn_tags__().input_tags
    assert tags.string
    assert not tags.two_d_array
