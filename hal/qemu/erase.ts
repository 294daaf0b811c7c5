import { HalError } from '../errors.ts'
import type { Qmp, QmpEvent } from './qmp.ts'

/** A process with an image as its only block device, and neither processor nor guest. @param image absolute */
export function eraserArguments(
  files: { readonly socket: string; readonly pid: string },
  image: string,
  format: string
) {
  const node = { driver: format, 'node-name': 'disk', file: { driver: 'file', filename: image } }
  return [
    ...['-nodefaults', '-machine', 'none', '-display', 'none', '-daemonize', '-pidfile', files.pid],
    ...['-qmp', `unix:${files.socket.replaceAll(',', ',,')},server=on,wait=off`, '-blockdev', JSON.stringify(node)]
  ]
}

/**
 * Has such a process overwrite the image with zeros, from the first byte to the last.
 *
 * @throws {HalError} `EIO` when it fails, `ENODEV` when the process ends
 */
export async function eraseOver(monitor: Qmp): Promise<void> {
  const nodes = (await monitor.execute('query-named-block-nodes', { flat: true })) as readonly Node[]
  const size = nodes.find((each) => each['node-name'] === 'disk')?.image['virtual-size']
  const zeros = { driver: 'null-co', 'node-name': 'zeros', size, 'read-zeroes': true }
  await monitor.execute('blockdev-add', zeros)
  const over = new Promise<void>((resolve, reject) => {
    monitor.onEvent = ({ event, data }: QmpEvent) => {
      if (event !== 'BLOCK_JOB_COMPLETED') return
      if (data?.error === undefined) resolve()
      else reject(new HalError('EIO', `qemu: the disk is not erased: ${String(data.error)}`))
    }
    monitor.onClose = () => reject(new HalError('ENODEV', 'qemu: the process that erases the disk has ended'))
  })
  // It is over before anybody waits for it when the next command fails.
  over.catch(() => undefined)
  await monitor.execute('blockdev-backup', { 'job-id': 'erase', device: 'zeros', target: 'disk', sync: 'full' })
  await over
}

interface Node {
  readonly 'node-name': string
  readonly image: { readonly 'virtual-size': number }
}
