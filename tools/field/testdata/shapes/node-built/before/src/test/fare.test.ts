import { equal } from "node:assert/strict";
import { test } from "node:test";
import { fare } from "../fare.js";

test("a fare has a base and a price for each kilometre", () => {
  equal(fare(4), 400);
});
