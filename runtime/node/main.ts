import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { handlers, version } from '#generated'
import { openFlash } from '#hal/native'
import { flashStore, simStore } from '../../hal/edk2/devices.ts'
import { simIndicator } from '../../hal/sim/indicators.ts'
import { simPower } from '../../hal/sim/power.ts'
import { openDocuments } from '../documents.ts'
import { run } from '../run.ts'

/** The service on Node.js: its files lie beside the bundle. */
const beside = dirname(fileURLToPath(import.meta.url))

await run({
  documents: openDocuments(readFileSync(join(beside, 'documents.bin'))),
  backends: {
    power: { sim: simPower },
    indicator: { sim: simIndicator },
    nvram: { sim: simStore, edk2: (options) => flashStore(openFlash, options) }
  },
  handlers,
  version
})
