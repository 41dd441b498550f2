/** fare is the price of a ride, in cents. From the tenth kilometre on each is 40 cents. */
export function fare(kilometres: number): number {
  const far = Math.max(0, kilometres - 10);
  return 200 + 50 * (kilometres - far) + 40 * far;
}
