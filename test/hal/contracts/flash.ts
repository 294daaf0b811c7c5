import type { Test } from 'tap'
import type { Flash } from '#hal/flash.ts'

/** A device that can be opened again and again; each `open` throws as hal/flash.ts says. */
export type Device = () => Flash

/**
 * The contract of every back end of hal/flash.ts.
 *
 * @param device makes an erased flash of at least four erase blocks
 */
export function flashContract(t: Test, backEnd: string, device: (t: Test) => Device) {
  const withFlash = (title: string, body: (t: Test, flash: Flash, open: Device) => void | Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const open = device(t)
      const flash = open()
      try {
        await body(t, flash, open)
      } finally {
        close(flash)
      }
    })

  withFlash('an erased flash reads as 0xFF and has whole blocks', (t, flash) => {
    t.ok(flash.size >= 4 * flash.eraseSize)
    t.equal(flash.size % flash.eraseSize, 0)
    t.equal(flash.eraseSize % flash.writeSize, 0)
    t.ok(flash.read(0, flash.size).every((byte) => byte === 0xff))
  })

  withFlash('programming clears bits and never sets one', (t, flash) => {
    flash.program(flash.eraseSize, Uint8Array.of(0xf0, 0x3f, 0x00, 0x5a))
    flash.program(flash.eraseSize, Uint8Array.of(0x33, 0xff, 0xff, 0xa5))
    t.strictSame([...flash.read(flash.eraseSize - 1, 6)], [0xff, 0x30, 0x3f, 0x00, 0x00, 0xff])
  })

  withFlash('erasing sets whole blocks, and no other', (t, flash) => {
    const { size, eraseSize } = flash
    flash.program(0, new Uint8Array(size))
    flash.erase(eraseSize, 2 * eraseSize)
    t.ok(flash.read(0, eraseSize).every((byte) => byte === 0))
    t.ok(flash.read(eraseSize, 2 * eraseSize).every((byte) => byte === 0xff))
    t.ok(flash.read(3 * eraseSize, size - 3 * eraseSize).every((byte) => byte === 0))
  })

  withFlash('what was programmed is there when it is opened again', (t, flash, open) => {
    flash.program(3, Uint8Array.of(1, 2, 3))
    flash.sync()
    flash.close()
    const again = open()
    t.strictSame([...again.read(3, 3)], [1, 2, 3])
    again.close()
  })

  withFlash('what does not lie in it, or is not whole blocks, is EINVAL and changes nothing', async (t, flash) => {
    const { size, eraseSize } = flash
    const outside: [offset: number, length: number][] = [
      [-1, 1],
      [0, -1],
      [size, 1],
      [size - 1, 2],
      [size + eraseSize, 0],
      [2 ** 32, 1],
      [2 ** 32 - 1, 2],
      [2 ** 53, 1],
      [0.5, 1],
      [Number.NaN, 1],
      [Number.POSITIVE_INFINITY, 1]
    ]
    const refused = { name: 'HalError', code: 'EINVAL' }
    for (const [offset, length] of outside) {
      t.throws(() => flash.read(offset, length), refused, `read ${offset} ${length}`)
      if (length < 0) continue
      t.throws(() => flash.program(offset, new Uint8Array(length)), refused, `program ${offset} ${length}`)
    }
    const ragged: [offset: number, length: number][] = [
      ...outside,
      [1, eraseSize],
      [0, eraseSize - 1],
      [0, size + eraseSize],
      [2 ** 32, eraseSize],
      [size, eraseSize],
      [0, Number.NaN]
    ]
    for (const [offset, length] of ragged) {
      t.throws(() => flash.erase(offset, length), refused, `erase ${offset} ${length}`)
      await t.rejects(flash.eraseAsync(offset, length), refused, `eraseAsync ${offset} ${length}`)
    }
    t.ok(flash.read(0, size).every((byte) => byte === 0xff))
  })

  withFlash('nothing at the very end is nothing', (t, flash) => {
    t.equal(flash.read(flash.size, 0).length, 0)
    flash.program(flash.size, new Uint8Array(0))
    flash.erase(flash.size, 0)
    t.ok(flash.read(0, flash.size).every((byte) => byte === 0xff))
  })

  withFlash('an erase on the worker pool does the same, and all else is EBUSY until it settles', async (t, flash) => {
    flash.program(0, new Uint8Array(flash.size))
    const erased = flash.eraseAsync(0, flash.eraseSize)
    const busy = { name: 'HalError', code: 'EBUSY' }
    t.throws(() => flash.read(0, 1), busy)
    t.throws(() => flash.program(0, new Uint8Array(1)), busy)
    t.throws(() => flash.erase(0, flash.eraseSize), busy)
    t.throws(() => flash.sync(), busy)
    t.throws(() => flash.close(), busy)
    await t.rejects(flash.eraseAsync(0, flash.eraseSize), busy)
    await erased
    t.ok(flash.read(0, flash.eraseSize).every((byte) => byte === 0xff))
    t.equal(flash.read(flash.eraseSize, 1)[0], 0)
  })

  withFlash('it is locked from open to close', (t, flash, open) => {
    t.throws(open, { name: 'HalError', code: 'EBUSY' })
    flash.close()
    open().close()
    t.pass('and free again')
  })

  withFlash('closed, it is ENODEV', async (t, flash) => {
    flash.close()
    const gone = { name: 'HalError', code: 'ENODEV' }
    t.throws(() => flash.read(0, 1), gone)
    t.throws(() => flash.program(0, new Uint8Array(1)), gone)
    t.throws(() => flash.erase(0, flash.eraseSize), gone)
    t.throws(() => flash.sync(), gone)
    t.throws(() => flash.close(), gone)
    await t.rejects(flash.eraseAsync(0, flash.eraseSize), gone)
  })

  for (const seed of [1, 2, 3, 4]) {
    withFlash(`after random operations it equals an array (seed ${seed})`, (t, flash) => {
      const { size, eraseSize } = flash
      const random = xorshift(seed)
      const model = new Uint8Array(size).fill(0xff)
      for (let step = 0; step < 300; step += 1) {
        const offset = random() % size
        const length = random() % Math.min(size - offset + 1, 3 * eraseSize)
        const action = random() % 8
        if (action === 0) {
          const first = offset - (offset % eraseSize)
          const blocks = Math.min(1 + (random() % 3), (size - first) / eraseSize)
          flash.erase(first, blocks * eraseSize)
          model.fill(0xff, first, first + blocks * eraseSize)
        } else if (action < 5) {
          const bytes = Uint8Array.from({ length }, () => random() | random())
          flash.program(offset, bytes)
          for (let i = 0; i < length; i += 1) model[offset + i]! &= bytes[i]!
        } else if (!same(flash.read(offset, length), model.subarray(offset, offset + length))) {
          t.fail(`step ${step}: ${length} bytes at ${offset} differ`)
          return
        }
      }
      t.ok(same(flash.read(0, size), model))
    })
  }
}

/** For tests that end with the flash open or closed. */
function close(flash: Flash): void {
  try {
    flash.close()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENODEV') throw error
  }
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, i) => byte === right[i])
}

/** Marsaglia's 32-bit xorshift (13, 17, 5): the same numbers on every machine. */
function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
