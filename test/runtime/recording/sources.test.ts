// own process: it starts tar and Python
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { readMockups } from '#runtime/recording/source/mockup.ts'
import { others, server } from './machines.ts'
import { writeResources } from './mockups.ts'

const shelf = others['power shelf']
const paths = Object.keys(shelf).sort()

/** All that is read from a folder or archive. */
function read(from: string, most = 1000) {
  const said: string[] = []
  const mockups = readMockups(from, most, (line) => said.push(line))
  return {
    said,
    mockups,
    names: [...mockups.keys()],
    paths: [...(mockups.values().next().value ?? new Map()).keys()].sort()
  }
}

/** The same mockup as tar and zip, as other programs write them. */
function archives(t: Test, resources = shelf, from = '/redfish/v1') {
  const folder = t.testdir()
  writeResources(`${folder}/shelf`, resources, from)
  execFileSync('tar', ['-C', folder, '-czf', `${folder}/shelf.tar.gz`, './shelf'])
  execFileSync('tar', ['-C', folder, '--format=pax', '-czf', `${folder}/pax.tar.gz`, 'shelf'])
  execFileSync('python3', ['-m', 'zipfile', '-c', `${folder}/shelf.zip`, `${folder}/shelf`])
  return { folder, files: [`${folder}/shelf.tar.gz`, `${folder}/pax.tar.gz`, `${folder}/shelf.zip`] }
}

t.test('a mockup in an archive is read as one in a folder, also with long names', async (t) => {
  const long = `/redfish/v1/Chassis/${'Long'.repeat(60)}`
  const resources = { ...shelf, [long]: { '@odata.id': long } }
  for (const file of archives(t, resources).files) {
    const { said, paths } = read(file)
    t.strictSame(said, [], file)
    t.strictSame(paths, Object.keys(resources).sort(), file)
  }
})

t.test('an archive that is cut off anywhere is refused with its name', async (t) => {
  const { folder, files } = archives(t)
  for (const file of files) {
    const whole = readFileSync(file)
    for (let length = 0; length < whole.length; length += Math.ceil(whole.length / 40)) {
      const cut = `${folder}/cut`
      writeFileSync(cut, whole.subarray(0, length))
      t.throws(
        () => read(cut),
        { message: new RegExp(`^${cut}: it is (damaged|cut off|neither)`) },
        `${file}, ${length}`
      )
    }
  }
})

t.test('names that lead out of an archive, and sizes that nothing has, are refused', async (t) => {
  const folder = t.testdir()
  const entry = (name: string, size: number, content = '{}') => {
    const header = Buffer.alloc(512)
    header.write(name)
    header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        0', 148)
    header.write(
      header
        .reduce((all, byte) => all + byte, 0)
        .toString(8)
        .padStart(7, '0'),
      148
    )
    return Buffer.concat([header, Buffer.from(content.padEnd(512, '\0'))])
  }
  const file = `${folder}/evil.tar.gz`
  for (const name of ['../index.json', '/index.json', 'a/../../index.json', '..\\index.json']) {
    writeFileSync(file, gzipSync(Buffer.concat([entry(name, 2), Buffer.alloc(1024)])))
    t.throws(() => read(file), { message: `${file}: ${name} leads out of the archive` })
  }
  writeFileSync(file, gzipSync(entry('index.json', 2 ** 31)))
  t.throws(() => read(file), /evil.tar.gz: it is damaged/)
  const greedy = gzipSync(entry('index.json', 2))
  greedy.writeUInt32LE(0xffffffff, greedy.length - 4)
  writeFileSync(file, greedy)
  t.throws(() => read(file), /evil.tar.gz: it is cut off, or has more than \d+ bytes/)
  const large = JSON.stringify({ Name: 'x'.repeat(9_000_000) })
  writeResources(`${folder}/large`, shelf)
  writeFileSync(`${folder}/large/redfish/v1/Chassis/index.json`, large)
  execFileSync('tar', ['-C', `${folder}/large`, '-czf', file, '.'])
  t.match(read(file).said, [/Chassis\/index.json: it has more than 8388608 bytes/])
  execFileSync('python3', ['-m', 'zipfile', '-c', file, `${folder}/large`])
  t.match(read(file).said, [/Chassis\/index.json: it has more than 8388608 bytes/])
})

t.test('files in one folder are resources, at the paths that links give them', async (t) => {
  const folder = t.testdir()
  const file = '/redfish/v1/Registries/Base_1/Base.v1_2_0.json'
  const registry = { '@odata.id': '/redfish/v1/Registries', Location: [{ Uri: file }] }
  const all = {
    ...shelf,
    '/redfish/v1/Registries': registry,
    [file]: { Id: 'Base' },
    '/redfish/v1/odata': { value: [] }
  }
  for (const [path, body] of Object.entries(all))
    writeFileSync(`${folder}/${path.replace(/[^\w.-]/g, '_').replace(/\.json$/, '')}.json`, JSON.stringify(body))
  t.strictSame(read(folder).paths, Object.keys(all).sort())
})

t.test('several mockups in a folder are read separately, each from its own root', async (t) => {
  const folder = t.testdir()
  writeResources(`${folder}/a`, shelf)
  writeResources(`${folder}/b/c`, server, '/redfish/v1')
  writeResources(`${folder}/d`, shelf, '/redfish')
  const { names, mockups } = read(folder)
  t.strictSame(names, ['a', 'b/c', 'd'])
  t.strictSame([...mockups.get('b/c')!.keys()].sort(), Object.keys(server).sort())
  for (const name of ['a', 'd']) t.strictSame([...mockups.get(name)!.keys()].sort(), paths)
})

t.test('pages are joined, and one that leads to itself or to nothing is the last', async (t) => {
  const folder = t.testdir()
  const link = (id: string) => ({ '@odata.id': `/redfish/v1/Chassis/${id}` })
  const chassis = '/redfish/v1/Chassis'
  const page = (next: string, ...ids: string[]) => ({
    '@odata.id': chassis,
    Members: ids.map(link),
    'Members@odata.nextLink': next
  })
  writeResources(folder, {
    ...shelf,
    [chassis]: page(`${chassis}?$skip=1`, 'A'),
    [`${chassis}?$skip=1`]: page(`${chassis}?$skip=2`, 'B', 'A'),
    '/redfish/v1/Managers': page('/redfish/v1/Managers/', 'C')
  })
  const { mockups, said } = read(folder)
  const of = (path: string) => mockups.get('')?.get(path)
  t.strictSame(of(chassis), { '@odata.id': chassis, Members: ['A', 'B'].map(link) })
  t.strictSame(of('/redfish/v1/Managers')?.Members, [link('C')])
  t.notOk('Members@odata.nextLink' in (of('/redfish/v1/Managers') ?? {}))
  t.strictSame(said, [])
})

t.test('a resource stands where its folder is, if another link stands in it', async (t) => {
  const folder = t.testdir()
  writeResources(folder, { ...shelf, '/redfish/v1/Copy': shelf['/redfish/v1/Chassis']! })
  mkdirSync(`${folder}/redfish/v1/Oem/A B`, { recursive: true })
  writeFileSync(`${folder}/redfish/v1/Oem/A B/index.json`, '{"@odata.id":"/redfish/v1/Oem/A%20b/"}')
  mkdirSync(`${folder}/redfish/v1/Oem/C D`)
  writeFileSync(`${folder}/redfish/v1/Oem/C D/index.json`, '{}')
  const own = ['/redfish/v1/Copy', '/redfish/v1/Oem/A%20b', '/redfish/v1/Oem/C%20D']
  t.strictSame(read(folder).paths, [...paths, ...own].sort())
})
