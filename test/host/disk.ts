/** A call of the file system, as a process made it; paths are absolute. */
export type Call =
  | { readonly call: 'open'; readonly fd: number; readonly path: string; readonly flags: ReadonlySet<string> }
  | { readonly call: 'close' | 'syncing' | 'sync'; readonly fd: number }
  /** @property at undefined for where the descriptor stands */
  | { readonly call: 'write'; readonly fd: number; readonly at: number | undefined; readonly bytes: Uint8Array }
  | { readonly call: 'truncate'; readonly fd: number; readonly size: number }
  | { readonly call: 'rename'; readonly from: string; readonly to: string }
  | { readonly call: 'unlink' | 'mkdir' | 'rmdir'; readonly path: string }
  /** The process ends. */
  | { readonly call: 'end' }

/**
 * The possible states of the medium of a file system after a power cut.
 *
 * - `ordered`: a journal has all changes of directories and sizes up to some moment; a sync of anything adds
 *   all earlier ones. Data that was written but not synced may be zeros, or partly missing.
 * - `strict`: only a synced file, or the synced names of a directory, is certain. Of everything else any part may be
 *   there, in any order.
 */
export type Model = 'ordered' | 'strict'

/** Numbers from 0 to below 1. */
export type Random = () => number

interface Piece {
  readonly at: number
  readonly bytes: Uint8Array
  readonly moment: number
}

interface File {
  durable: Uint8Array
  /** The writes since the last sync; `bytes` is empty for a truncation at that offset. */
  pending: Piece[]
  /** How much of that was written before a sync that is under way. */
  syncing: number
  size: number
}

type Node = File | Directory

interface Directory {
  readonly live: Map<string, Node>
  readonly durable: Map<string, Node>
}

interface Change {
  readonly moment: number
  readonly steps: readonly { readonly directory: Directory; readonly name: string; readonly node: Node | undefined }[]
}

interface Descriptor {
  readonly node: Node
  position: number
}

const directory = (): Directory => ({ live: new Map(), durable: new Map() })
const isDirectory = (node: Node): node is Directory => 'live' in node

/** A directory and all below it, of which it is known what was synced. */
export class Disk {
  readonly #path: string
  readonly #root = directory()
  /** Undefined for what is elsewhere. */
  readonly #descriptors = new Map<number, Descriptor | undefined>()
  /** Of directories, not synced yet. */
  #changes: Change[] = []
  #moment = 0
  /** When something was synced last. */
  #synced = 0

  constructor(path: string) {
    this.#path = path
  }

  /** @returns whether the call changed anything, also whether it synced */
  apply(call: Call): boolean {
    this.#moment += 1
    if (call.call === 'open') return this.#open(call.fd, call.path, call.flags)
    if (call.call === 'end') this.#descriptors.clear()
    if ('fd' in call) return this.#use(call)
    if (call.call === 'rename') return this.#rename(call.from, call.to)
    if (!('path' in call)) return false
    const place = this.#place(call.path)
    if (place === undefined) return false
    this.#change({ ...place, node: call.call === 'mkdir' ? directory() : undefined })
    return true
  }

  /** The files, and with a slash at their end the directories, that may be there when the power fails now. */
  *after(model: Model, random: Random): Generator<[path: string, content: Uint8Array]> {
    const until = this.#synced + Math.floor(random() * (this.#moment - this.#synced + 1))
    const whim = random()
    const isKept = ({ moment }: { moment: number }) =>
      model === 'ordered' ? moment <= until : whim < 0.2 ? false : whim < 0.4 ? true : random() < 0.5
    const names = new Map<Directory, Map<string, Node>>()
    const namesOf = (each: Directory) => {
      const known = names.get(each) ?? new Map(each.durable)
      names.set(each, known)
      return known
    }
    for (const change of this.#changes) {
      if (!isKept(change)) continue
      for (const { directory, name, node } of change.steps) set(namesOf(directory), name, node)
    }
    function* below(path: string, each: Directory): Generator<[string, Uint8Array]> {
      for (const [name, node] of namesOf(each)) {
        if (!isDirectory(node)) yield [`${path}${name}`, contentOf(node, model, until, random)]
        else {
          yield [`${path}${name}/`, new Uint8Array()]
          yield* below(`${path}${name}/`, node)
        }
      }
    }
    yield* below('', this.#root)
  }

  #place(path: string): { directory: Directory; name: string } | undefined {
    if (!path.startsWith(`${this.#path}/`)) return undefined
    const names = path
      .slice(this.#path.length + 1)
      .split('/')
      .filter((name) => name !== '' && name !== '.')
    let at: Node = this.#root
    for (const name of names.slice(0, -1)) {
      const next: Node | undefined = at.live.get(name)
      if (next === undefined || !isDirectory(next)) throw new Error(`no directory ${path}`)
      at = next
    }
    return { directory: at, name: names.at(-1) ?? '' }
  }

  #change(...steps: Change['steps']): void {
    for (const { directory, name, node } of steps) set(directory.live, name, node)
    this.#changes.push({ moment: this.#moment, steps })
  }

  #open(fd: number, path: string, flags: ReadonlySet<string>): boolean {
    if (path === this.#path) this.#descriptors.set(fd, { node: this.#root, position: 0 })
    const place = this.#place(path)
    if (place === undefined && path !== this.#path) this.#descriptors.set(fd, undefined)
    if (place === undefined) return false
    const found = place.directory.live.get(place.name)
    const node = found ?? { durable: new Uint8Array(), pending: [], syncing: 0, size: 0 }
    this.#descriptors.set(fd, { node, position: flags.has('O_APPEND') && !isDirectory(node) ? node.size : 0 })
    if (found === undefined) this.#change({ ...place, node })
    else if (flags.has('O_TRUNC') && !isDirectory(node) && node.size > 0) this.#resize(node, 0)
    else return false
    return true
  }

  #use(call: Extract<Call, { fd: number }>): boolean {
    // Only files are synced: each of them was opened.
    if (call.call === 'sync' && !this.#descriptors.has(call.fd)) throw new Error(`${call.fd} is not open`)
    const descriptor = this.#descriptors.get(call.fd)
    if (call.call === 'close') this.#descriptors.delete(call.fd)
    if (descriptor === undefined) return false
    const { node } = descriptor
    if (isDirectory(node)) return call.call === 'sync' && this.#syncNames(node)
    if (call.call === 'write') {
      const at = call.at ?? descriptor.position
      if (call.at === undefined) descriptor.position += call.bytes.length
      node.pending.push({ at, bytes: call.bytes, moment: this.#moment })
      node.size = Math.max(node.size, at + call.bytes.length)
      return true
    }
    if (call.call === 'truncate') this.#resize(node, call.size)
    if (call.call === 'syncing') node.syncing = node.pending.length
    if (call.call === 'sync') {
      node.durable = node.pending.slice(0, node.syncing).reduce(written, node.durable)
      node.pending = node.pending.slice(node.syncing)
      this.#synced = this.#moment
    }
    return call.call === 'truncate' || call.call === 'sync'
  }

  #resize(node: File, size: number): void {
    node.pending.push({ at: size, bytes: new Uint8Array(), moment: this.#moment })
    node.size = size
  }

  #syncNames(node: Directory): boolean {
    const isOf = ({ steps }: Change) => steps.some(({ directory }) => directory === node)
    for (const { steps } of this.#changes.filter(isOf))
      for (const { directory, name, node } of steps) set(directory.durable, name, node)
    this.#changes = this.#changes.filter((change) => !isOf(change))
    this.#synced = this.#moment
    return true
  }

  #rename(from: string, to: string): boolean {
    const [source, target] = [this.#place(from), this.#place(to)]
    if (source === undefined || target === undefined) return false
    this.#change({ ...source, node: undefined }, { ...target, node: source.directory.live.get(source.name) })
    return true
  }
}

function set(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) names.delete(name)
  else names.set(name, node)
}

function written(content: Uint8Array, { at, bytes }: Pick<Piece, 'at' | 'bytes'>): Uint8Array {
  const size = bytes.length === 0 ? at : Math.max(content.length, at + bytes.length)
  const whole = new Uint8Array(size)
  whole.set(content.subarray(0, size))
  whole.set(bytes, bytes.length === 0 ? 0 : at)
  return whole
}

/** A possible content of a file on the medium: writes that were not synced may be damaged or missing. */
function contentOf(file: File, model: Model, until: number, random: Random): Uint8Array {
  const pending = model === 'strict' ? file.pending : file.pending.filter(({ moment }) => moment <= until)
  if (pending.length === 0) return file.durable
  const whim = random()
  if (whim < 0.2 && model === 'strict') return file.durable
  if (whim < 0.4) return pending.reduce(written, file.durable)
  let content = file.durable
  for (const piece of pending) content = written(content, { at: piece.at, bytes: damaged(piece.bytes, model, random) })
  // Room that a file system reserved in advance.
  return whim < 0.5 ? written(content, { at: content.length, bytes: new Uint8Array(1 + random() * 5000) }) : content
}

const page = 512

/** A write of which not all is on the medium. In the ordered model its size is. */
function damaged(bytes: Uint8Array, model: Model, random: Random): Uint8Array {
  const whim = random()
  if (whim < 0.25 || bytes.length === 0) return bytes
  const from = Math.floor(random() * bytes.length)
  if (whim < 0.5 && model === 'strict') return bytes.subarray(0, Math.max(1, from))
  const some = Uint8Array.from(bytes)
  if (whim < 0.7) return some.fill(0, from)
  for (let at = 0; at < some.length; at += page) {
    if (random() < 0.5) some.fill(whim < 0.9 ? 0 : Math.floor(random() * 256), at, at + page)
  }
  return some
}
