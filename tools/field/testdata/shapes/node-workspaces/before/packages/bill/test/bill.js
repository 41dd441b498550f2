import assert from 'node:assert';
import { test } from 'node:test';
import { total } from '@shop/cart';

test('the bill is the total', () => {
  assert.equal(total([2, 2]), 4);
});
