import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

t.test('no handler says of anything how well it is: data/health computes it', async (t) => {
  const files = readdirSync('handlers', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  t.ok(files.length > 100)
  for (const file of files) t.notMatch(readFileSync(`handlers/${file}`, 'utf8'), /\bHealth(Rollup)?:/, file)
})
