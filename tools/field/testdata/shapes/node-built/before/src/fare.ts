/** fare is the price of a ride, in cents. */
export function fare(kilometres: number): number {
  return 200 + 50 * kilometres;
}
