import type { BootProgress } from '#data/system'
import type { Console } from '#hal/console.ts'
import type { Power } from '#hal/power.ts'

/** The most of a line that is looked at. */
const longest = 512

/** The words of EDK II's boot device selection (BdsDxe), which its console shows. */
const words: readonly (readonly [RegExp, BootProgress | 'failed'])[] = [
  [/BdsDxe: No bootable option or device was found/, 'failed'],
  [/BdsDxe: starting Boot[\dA-F]{4} "UiApp"/, 'SetupEntered'],
  [/BdsDxe: starting Boot[\dA-F]{4} "[^"]*"/, 'OSBootStarted'],
  [/BdsDxe: loading Boot[\dA-F]{4} /, 'SystemHardwareInitializationComplete']
]

/**
 * Follows how far a host has come in its boot, by its power and by what its firmware says on its serial console.
 *
 * @param changed called after each change
 * @param ended called when the operating system begins to start, or nothing was found that could
 * @returns the present state; undefined if unknown: the host was on before the service started
 */
export function followBoot(
  power: Power,
  console: Console,
  changed: () => void,
  ended: (isFailed: boolean) => void = () => undefined
): () => BootProgress | undefined {
  let state: BootProgress | undefined = power.state === 'Off' ? 'None' : undefined
  let line = ''
  const become = (reached: BootProgress) => {
    if (state === reached) return
    state = reached
    changed()
  }
  power.on((event) => {
    if (event.type === 'boot') become('PrimaryProcessorInitializationStarted')
    if (event.type === 'state' && event.state === 'Off') become('None')
  })
  /** @returns whether it says something */
  const understand = (text: string) => {
    const [, reached] = words.find(([word]) => word.test(text)) ?? []
    if (reached === 'failed' || reached === 'OSBootStarted') ended(reached === 'failed')
    if (reached !== undefined && reached !== 'failed') become(reached)
    return reached !== undefined
  }
  const look = (bytes: Uint8Array) => {
    const lines = (line + String.fromCharCode(...bytes)).split('\n')
    // The rest of a line that was understood comes with later bytes: it would end the boot once more.
    line = lines.map(understand).at(-1) ? '' : (lines.at(-1) ?? '').slice(-longest)
  }
  console.on((bytes) => {
    // After a busy moment of the service a chunk is long.
    for (let at = 0; at < bytes.length; at += longest) look(bytes.subarray(at, at + longest))
  })
  return () => state
}
