def grams(kilograms):
    if kilograms < 0:
        raise ValueError("a weight is not negative")
    return kilograms * 1000
