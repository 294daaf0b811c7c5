import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writeBootNumbers } from '#hal/uefi/boot.ts'
import { bootNext, bootOrder, secureBootEnable } from '#hal/uefi/variables.ts'
import { variable } from '#test/hal/contracts/nvram.ts'
import { change, load } from '#test/ovmf/stores.ts'
import { onBothHosts } from './every-host.ts'
import { Process } from './process.ts'
import { directory, start } from './server.ts'

onBothHosts(async (t, host) => {
  const nvram = (...args: string[]) => new Process(host, ['nvram', ...args]).ended
  const file = join(directory(t), 'store.fd')
  const create = async (...args: string[]) => {
    const path = join(directory(t), 'store.fd')
    const { status } = await nvram('create', path, ...args)
    t.equal(status, 0)
    return path
  }

  t.test('create makes an empty store in the layout that is asked for, and list finds nothing in it', async (t) => {
    for (const [layout, size] of [
      [[], 0x84000],
      [['--layout', '4M'], 0x84000],
      [['--layout', '2M'], 0x20000],
      [['--layout', 'virt'], 0xc0000]
    ] as const) {
      const made = await create(...layout)
      t.equal(readFileSync(made).length, size)
      t.same(await nvram('list', made), { status: 0, stdout: [], stderr: [] })
    }
  })

  t.test('create does not overwrite an existing file', async (t) => {
    writeFileSync(file, 'mine')
    const { status, stdout, stderr } = await nvram('create', file)
    t.same([status, stdout, stderr], [1, [], [`minnow: ${file} already exists`]])
    t.equal(readFileSync(file, 'utf8'), 'mine')
  })

  t.test('list prints a line for each variable, with its value', async (t) => {
    const made = await create()
    await change(load(made), made, (store) =>
      store.set([
        { ...bootOrder, data: writeBootNumbers([1, 0xa]) },
        { ...bootNext, data: Uint8Array.of(7) },
        { ...secureBootEnable, data: Uint8Array.of(1) },
        variable('A name with\u001b[31m', 'as text'),
        variable('Large', new Uint8Array(5000).fill(0xee))
      ])
    )
    const before = readFileSync(made)
    const { status, stdout, stderr } = await nvram('list', made)
    t.same([status, stderr], [0, []])
    const { guid } = variable('', '')
    t.same(stdout, [
      `BootOrder\t${bootOrder.guid}\tNV+BS+RT\t4\tBoot0001 Boot000A`,
      `BootNext\t${bootNext.guid}\tNV+BS+RT\t1\t07`,
      `SecureBootEnable\t${secureBootEnable.guid}\tNV+BS\t1\t01`,
      `A name with\\u001b[31m\t${guid}\tNV+BS+RT\t7\tas text`,
      `Large\t${guid}\tNV+BS+RT\t5000\t${'ee'.repeat(32)}…`
    ])
    t.ok(readFileSync(made).equals(before), 'it has only read')
  })

  t.test('list reads only the store of a large flash', async (t) => {
    const made = await create('--layout', 'virt')
    await change(load(made), made, (store) => store.set([variable('Far', 'x')]))
    const chip = join(directory(t), 'chip.fd')
    const at = 0x3000000
    for (const [bytes, offset] of [
      [readFileSync(made), at],
      [Buffer.alloc(1), 0x3ffffff]
    ] as const) {
      const file = openSync(chip, offset === at ? 'w' : 'r+')
      writeSync(file, bytes, 0, bytes.length, offset)
      closeSync(file)
    }
    const { status, stdout, stderr } = await nvram('list', chip)
    t.same([status, stderr], [0, []])
    t.match(stdout, [/^Far\t/])
  })

  t.test('list shows the store of a service that runs', async (t) => {
    const server = await start(t, host)
    const { status, stdout } = await nvram('list', join(server.data, 'machine/nvram-1.fd'))
    t.same([status, stdout], [0, []])
  })

  t.test('the remains of a power cut are reported, and the intact variables are listed', async (t) => {
    const made = await create()
    await change(load(made), made, (store) => store.set([variable('First', 'x')]))
    const bytes = readFileSync(made)
    bytes[0x3000] = 0
    writeFileSync(made, bytes)
    const { status, stdout, stderr } = await nvram('list', made)
    t.equal(status, 0)
    t.match(stdout, [/^First\t/])
    t.equal(stderr.length, 1)
    t.equal(stderr[0]?.startsWith(`minnow: ${made}: ok: `), true, String(stderr))
  })

  t.test('a file that is not a store is named with the reason, and the exit status is 1', async (t) => {
    const made = readFileSync(await create())
    const damaged = Buffer.from(made)
    damaged[0x5c] = 0x12
    for (const [what, bytes, wrong] of [
      ['empty', Buffer.alloc(0), /absent: /],
      ['too short', made.subarray(0, 1000), /absent: /],
      ['cut off', made.subarray(0, 0x40000), /damaged: .*ends at 0x84000/],
      ['blank', Buffer.alloc(0x84000, 0xff), /absent: /],
      ['foreign', Buffer.alloc(0x84000, 'ELF'), /absent: /],
      ['corrupted', damaged, /damaged: .*format/]
    ] as const) {
      writeFileSync(file, bytes)
      const { status, stdout, stderr } = await nvram('list', file)
      t.same([status, stdout, stderr.length], [1, [], 1], what)
      t.match(stderr[0], wrong, what)
      t.ok(stderr[0]?.includes(file), what)
    }
    const { status, stderr } = await nvram('list', `${file}.gone`)
    t.equal(status, 1)
    t.ok(stderr[0]?.includes(`${file}.gone`))
  })

  for (const args of [[], ['lst', 'x'], ['list'], ['list', 'x', 'y'], ['create'], ['create', 'x', '--layout', '8M']]) {
    t.test(`\`nvram ${args.join(' ')}\` ends with status 2 and one line, and makes nothing`, async (t) => {
      const { status, stdout, stderr } = await nvram(...args)
      t.same([status, stdout, stderr.length], [2, [], 1])
      t.notOk(existsSync('x'))
    })
  }
})
