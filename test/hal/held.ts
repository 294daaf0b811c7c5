import type { BeforeBoot, Power } from '#hal/power.ts'

/** A power device whose work before boots a test may replace while it is open. */
export type Held<P extends Power = Power> = P & { beforeBoot: BeforeBoot | undefined }

export function held<P extends Power>(open: (beforeBoot: BeforeBoot) => P): Held<P> {
  const power: Held<P> = Object.assign(
    open(async () => power.beforeBoot?.()),
    { beforeBoot: undefined }
  )
  return power
}
