import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const page = 'docs/changes.md'
const rooms = ['runtime/service', 'runtime/request', 'runtime/open', 'runtime/listen', 'runtime/command']

/** Sockets and servers of a host, whose events are not the house's own. */
const transport = /^(server|request|response|router|accepted|socket|tunnel)$/

/** The subscriptions of a file: to a record by its table, to a device by its interface, to all that is committed, moves or is dropped. */
function subscriptions(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const committed = /\.onCommit\(/.test(source) ? [`every commit: ${file}`] : []
  const moved = /\.onMoved\(/.test(source) ? [`every path: ${file}`] : []
  const named = [...source.matchAll(/([\w#]+)\.on\((?:'(\w+)')?/g)].flatMap(([, receiver = '', table]) => {
    const name = receiver.replace('#', '')
    if (transport.test(name)) return []
    return name === 'store' ? [`${table}: ${file}`] : [`${name}: ${file}`]
  })
  const dropped = /\.onDropped\?\.\(/.test(source) ? [`every answer that is dropped: ${file}`] : []
  return [...committed, ...moved, ...dropped, ...named]
}

const unique = (all: readonly string[]) => [...new Set(all)].sort()

t.test(`${page} says who reacts to what`, async (t) => {
  const files = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(room, name))
  )
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `?([\w ]+)`? \| `([^`]+)` \| \S.* \|$/gm)
  const told = [...rows].map(([, what, file]) => `${what}: ${file}`)
  t.equal(told.length, new Set(told).size, 'each in one row')
  t.same(unique(told), unique(files.flatMap(subscriptions)))
})
