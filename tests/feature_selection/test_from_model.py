@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_it_needs_an_estimator(method):
    with pytest.raises((TypeError, AttributeError), match="estimator"):
        getattr(SelectFromModel(None), method)([[1.0], [2.0]], [0, 1])
