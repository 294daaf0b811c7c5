import { readFileSync } from 'node:fs'

/**
 * The Ethernet frames that a device has sent, of a capture that is still being written: a pcap file in the byte order of this
 * machine, which is little-endian.
 *
 * @param address as Redfish has it, such as `52:54:00:12:34:56`
 */
export function framesFrom(address: string, file: string): Buffer[] {
  const source = Buffer.from(address.replaceAll(':', ''), 'hex')
  const bytes = readFileSync(file)
  const found: Buffer[] = []
  for (let offset = 24; offset + 16 <= bytes.length; ) {
    const length = bytes.readUInt32LE(offset + 8)
    const frame = bytes.subarray(offset + 16, offset + 16 + length)
    if (frame.length === length && frame.subarray(6, 12).equals(source)) found.push(frame)
    offset += 16 + length
  }
  return found
}

/** The VLAN that a frame is of (IEEE 802.1Q); undefined without a tag. */
export function vlanOf(frame: Buffer): number | undefined {
  return frame.readUInt16BE(12) === 0x8100 ? frame.readUInt16BE(14) & 0xfff : undefined
}
