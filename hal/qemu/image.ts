import { HalError } from '../errors.ts'
import type { Qmp, QmpEvent } from './qmp.ts'

/** A process with neither processor nor guest. @param node its only block device, if any */
export function imageArguments(files: { readonly socket: string; readonly pid: string }, node: object | undefined) {
  return [
    ...['-nodefaults', '-machine', 'none', '-display', 'none', '-daemonize', '-pidfile', files.pid],
    ...['-qmp', `unix:${files.socket.replaceAll(',', ',,')},server=on,wait=off`],
    ...(node === undefined ? [] : ['-blockdev', JSON.stringify(node)])
  ]
}

/** The block device that {@link eraseOver} overwrites. @param image absolute */
export const imageNode = (image: string, format: string) => ({
  driver: format,
  'node-name': 'disk',
  file: { driver: 'file', filename: image }
})

/**
 * Has such a process create an image, which takes no space until it is written. @param size bytes
 *
 * @throws {HalError} `EIO` when it fails, `ENODEV` when the process ends
 */
export async function createImage(monitor: Qmp, filename: string, size: number): Promise<void> {
  const over = new Promise<void>((resolve, reject) => {
    monitor.onEvent = ({ event, data }: QmpEvent) => {
      if (event === 'JOB_STATUS_CHANGE' && data?.status === 'concluded') resolve()
    }
    monitor.onClose = () => reject(new HalError('ENODEV', 'qemu: the process that creates the disk has ended'))
  })
  // It is over before anybody waits for it when the next command fails.
  over.catch(() => undefined)
  await monitor.execute('blockdev-create', { 'job-id': 'create', options: { driver: 'file', filename, size } })
  await over
  const [job] = (await monitor.execute('query-jobs')) as readonly { readonly error?: string }[]
  if (job?.error !== undefined) throw new HalError('EIO', `qemu: the disk is not created: ${job.error}`)
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
