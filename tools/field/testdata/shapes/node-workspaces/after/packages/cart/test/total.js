import assert from 'node:assert';
import { test } from 'node:test';
import { total } from '../index.js';

test('adds up', () => {
  assert.equal(total([1, 2]), 3);
});

test('an empty cart is nothing', () => {
  assert.equal(total([]), 0);
});
