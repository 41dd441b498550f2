package gateway

// PriceOf is for the test of the list.
var PriceOf = priceOf
