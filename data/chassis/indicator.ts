import { type Command, fail, type Writes } from '#runtime/contract'
import type { Infer } from '#runtime/schema'

/** The states of a lamp in the words of `IndicatorLED` (DSP0268). */
const indicatorStates = ['Off', 'Lit', 'Blinking'] as const

/** The lamp of a chassis in the old words and in the new ones, which a resource shows and takes. */
export const indicator = {
  IndicatorLED: { type: 'string', enum: indicatorStates, readonly: false },
  LocationIndicatorActive: { type: 'boolean', readonly: false }
} as const

export function showIndicator(state: Infer<typeof indicator.IndicatorLED>) {
  return { IndicatorLED: state, LocationIndicatorActive: state !== 'Off' }
}

/** A client's wish for a lamp, in the older word or the newer one. */
interface Asked {
  readonly IndicatorLED?: Infer<typeof indicator.IndicatorLED> | undefined
  readonly LocationIndicatorActive?: boolean | undefined
}

/**
 * The outcome of a change of the lamp of a chassis. The state is stored too, so that the lamp shows it again after a restart.
 *
 * @throws MessageError 400 if the old word and the new one disagree
 */
export function changeIndicator(
  chassis: string,
  { IndicatorLED: state, LocationIndicatorActive: active }: Asked
): { readonly writes: Writes; readonly commands: readonly Command[] } {
  if (state === undefined && active === undefined) return { writes: {}, commands: [] }
  if (state !== undefined && active !== undefined && active !== (state !== 'Off')) {
    fail(400, 'Base.PropertyValueConflict', 'IndicatorLED', 'LocationIndicatorActive')
  }
  const shown = state ?? (active ? 'Blinking' : 'Off')
  return {
    writes: { chassis: { [chassis]: { locating: shown !== 'Off', indicator: shown } } },
    commands: [{ kind: 'indicator', chassis, state: shown }]
  }
}
