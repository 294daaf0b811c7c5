import { existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { sleep } from '#runtime/base/sleep.ts'
import { HalError } from '../errors.ts'
import { diskSize, type QemuFiles, type QemuOptions } from './command-line.ts'
import { kill, lookEvery, processOf, runProcess } from './process.ts'
import { Qmp, type QmpEvent } from './qmp.ts'

/** The image that is the disk of a virtual machine, while no process of the machine uses it. */
export class Disk {
  readonly #options: QemuOptions
  readonly #file: string
  readonly #files: Pick<QemuFiles, 'pid' | 'socket'>
  readonly #timeout: number

  /** @param files of the machine @param timeout milliseconds that QEMU may take for an answer */
  constructor(options: QemuOptions & { readonly directory: string }, files: QemuFiles, timeout: number) {
    this.#options = options
    this.#file = resolve(options.directory, String(options.disk))
    this.#files = { socket: `${files.socket}-disk`, pid: `${files.pid}-disk` }
    this.#timeout = timeout
  }

  /** Creates the image if the options give it a size and it is not there. @throws {HalError} `EIO` */
  async create(program: string): Promise<void> {
    const size = diskSize(this.#options)
    if (size === undefined || existsSync(this.#file)) return
    await this.#work(program, undefined, (monitor) => createImage(monitor, `${this.#file}.new`, size))
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** Overwrites it, created if need be. @throws {HalError} `ENODEV` without a disk, `EIO` */
  async erase(program: string): Promise<void> {
    const { disk, diskFormat = 'raw' } = this.#options
    if (typeof disk !== 'string') throw new HalError('ENODEV', 'qemu: the machine has no disk')
    await this.create(program)
    await this.#work(program, imageNode(this.#file, String(diskFormat)), eraseOver)
  }

  /** Has a process without a guest work on an image. @param node the image, if it is there */
  async #work(program: string, node: object | undefined, work: (monitor: Qmp) => Promise<void>): Promise<void> {
    const files = this.#files
    // A process of an earlier service has the image open.
    for (let pid = processOf(files); pid !== undefined; pid = processOf(files)) {
      kill(pid)
      await sleep(lookEvery)
    }
    rmSync(files.socket, { force: true })
    await runProcess(program, imageArguments(files, node), this.#timeout)
    const monitor = await Qmp.open(files.socket, this.#timeout)
    try {
      await work(monitor)
    } finally {
      await monitor.execute('quit').catch(() => undefined)
      monitor.close()
    }
  }
}

/** A process with neither processor nor guest. @param node its only block device, if any */
function imageArguments(files: { readonly socket: string; readonly pid: string }, node: object | undefined) {
  return [
    ...['-nodefaults', '-machine', 'none', '-display', 'none', '-daemonize', '-pidfile', files.pid],
    ...['-qmp', `unix:${files.socket.replaceAll(',', ',,')},server=on,wait=off`],
    ...(node === undefined ? [] : ['-blockdev', JSON.stringify(node)])
  ]
}

/** The block device that {@link eraseOver} overwrites. @param image absolute */
const imageNode = (image: string, format: string) => ({
  driver: format,
  'node-name': 'disk',
  file: { driver: 'file', filename: image }
})

/**
 * Has such a process create an image, which takes no space until it is written. @param size bytes
 *
 * @throws {HalError} `EIO` when it fails, `ENODEV` when the process ends
 */
async function createImage(monitor: Qmp, filename: string, size: number): Promise<void> {
  const over = new Promise<void>((resolve, reject) => {
    monitor.onEvent = ({ event, data }: QmpEvent) => {
      if (event === 'JOB_STATUS_CHANGE' && data?.status === 'concluded') resolve()
    }
    monitor.onClose = () => reject(new HalError('ENODEV', 'qemu: the process that creates the disk has ended'))
  })
  // A failure of the next command leaves it without a reader.
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
async function eraseOver(monitor: Qmp): Promise<void> {
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
  // A failure of the next command leaves it without a reader.
  over.catch(() => undefined)
  await monitor.execute('blockdev-backup', { 'job-id': 'erase', device: 'zeros', target: 'disk', sync: 'full' })
  await over
}

interface Node {
  readonly 'node-name': string
  readonly image: { readonly 'virtual-size': number }
}
