import type { HostPending } from '#data/boot'
import { keyVariables } from '#data/secure-boot'
import { vendorVariables } from '#data/variables'
import { HalError } from '#hal/errors.ts'
import type { Nvram, VariableChange } from '#hal/nvram.ts'
import type { VariableName } from '#hal/uefi/variables.ts'
import type { Store } from '#runtime/store/store.ts'

/** @returns false, and says so, where there is no sound store. @throws HalError when it fails */
export async function acquired(nvram: Nvram, system: string, { log }: Pick<Store, 'log'>): Promise<boolean> {
  try {
    await nvram.acquire()
    return true
  } catch (error) {
    if (!(error instanceof HalError) || error.code !== 'EROFS') throw error
    log.error('the host is held without its variables', { system, code: error.code, cause: error.message })
    return false
  }
}

/**
 * @returns false when the store refuses it for good, having changed nothing: it is full, or that is no variable
 * @throws HalError when it fails
 */
export async function write(
  nvram: Nvram,
  changes: readonly VariableChange[],
  system: string,
  { log }: Pick<Store, 'log'>
): Promise<boolean> {
  try {
    await nvram.set(changes)
    return true
  } catch (error) {
    if (!(error instanceof HalError) || (error.code !== 'ENOSPC' && error.code !== 'EINVAL')) throw error
    log.error('variables cannot be written', { system, code: error.code, cause: error.message })
    return false
  }
}

/** The changes that take variables out of a firmware's store. Its copy of the BIOS settings is the service's to keep. */
export function cleared(present: readonly VariableName[], clearing: HostPending['clearing']): VariableChange[] {
  if (clearing === 'None') return []
  const isKey = ({ name, guid }: VariableName) => keyVariables.some((key) => key.name === name && key.guid === guid)
  const stays = (each: VariableName) => clearing === 'AllButKeys' && (isKey(each) || each.guid === vendorVariables)
  return present.filter((each) => !stays(each)).map(({ name, guid }) => ({ name, guid, data: null }))
}
