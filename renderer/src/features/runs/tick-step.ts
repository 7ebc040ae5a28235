const wantedTicks = 6;
const nice = [1, 2, 5, 10];
const secondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

/** A readable distance between the ticks of a time axis: 1, 2 or 5 of a unit. */
export function tickStep(span: number): number {
  const rough = span / wantedTicks;
  if (rough < 1000) {
    const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(rough, 1))));
    return (nice.find((factor) => factor * power >= rough) ?? 10) * power;
  }
  return (
    (secondSteps.find((step) => step * 1000 >= rough) ?? Math.ceil(rough / 86_400_000) * 86_400) *
    1000
  );
}
