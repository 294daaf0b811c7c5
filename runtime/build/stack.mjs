/**
 * Shows the places of a stack trace in the source: `npm run --silent stack -- dist/minnow-armv7.map < LOG`. The map must
 * be that of the build that logged.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { text } from 'node:stream/consumers'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('usage: stack.mjs MAP < LOG')
const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
const log = await text(process.stdin)
process.stdout.write(
  log.replace(/\bbytecode:(\d+):(\d+)/g, (place, number, at) => {
    const origin = map.findEntry(number - 1, at - 1)
    if (!('originalSource' in origin)) return place
    return `${origin.originalSource}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
  })
)
