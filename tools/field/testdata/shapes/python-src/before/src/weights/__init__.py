def grams(kilograms):
    return kilograms * 1000
