const base = 200;
const near = 50;
const far = 40;
const begins = 10;

/** fare is the price of a ride, in cents. It is lower for what lies beyond the tenth kilometre. */
export function fare(kilometres: number): number {
  const beyond = Math.max(0, kilometres - begins);
  return base + near * (kilometres - beyond) + far * beyond;
}
