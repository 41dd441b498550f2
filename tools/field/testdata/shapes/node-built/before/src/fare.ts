const base = 200;
const near = 50;

/** fare is the price of a ride, in cents. */
export function fare(kilometres: number): number {
  return base + near * kilometres;
}
