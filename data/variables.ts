/** EFI_GLOBAL_VARIABLE, the namespace of the variables of the specification itself (UEFI 2.10, 3.3). */
export const globalVariables = '8be4df61-93ca-11d2-aa0d-00e098032b8c'

/** The namespace of the variables in which this service and a firmware that knows it exchange BIOS settings. */
export const vendorVariables = '5f9c2b0e-61d7-4a38-8e4f-0b7a1c93d26e'

/** Non-volatile, for the boot services and for the operating system (UEFI 2.10, 8.2.1). */
export const ordinaryAttributes = 7

/** As `ordinaryAttributes`, but hidden from the operating system. */
export const bootServiceAttributes = 3

/** The key in the table `variable`. */
export function variablePath(system: string, guid: string, name: string): string {
  return `${system}/${guid}/${name}`
}

/** The number of a boot option, `Boot####` (UEFI 2.10, 3.1.3). */
export function bootNumber(reference: string): number {
  return Number.parseInt(reference.slice('Boot'.length), 16)
}

/** The data of `BootOrder` or `BootNext`: 16-bit numbers, little endian (UEFI 2.10, 3.3). */
export function bootNumbers(references: readonly string[]): Uint8Array {
  return Uint8Array.from(references.flatMap((each) => [bootNumber(each) & 0xff, bootNumber(each) >> 8]))
}

/**
 * The data of `BootOrder` for an order that a client asked for. The options of the firmware itself, which no client
 * knows of, come after it.
 *
 * @param present the data of the variable as it is
 */
export function bootOrderData(order: readonly string[], present: Uint8Array | undefined): Uint8Array {
  const wanted = bootNumbers(order)
  const known = new Set(order.map(bootNumber))
  const own: number[] = []
  for (let at = 0; present !== undefined && at + 1 < present.length; at += 2) {
    const [low = 0, high = 0] = present.subarray(at, at + 2)
    if (!known.has(low | (high << 8))) own.push(low, high)
  }
  return Uint8Array.from([...wanted, ...own])
}
