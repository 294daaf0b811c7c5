import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { handlers, version } from '#generated'
import { openFlash, openGpio } from '#hal/native'
import { flashStore, simStore } from '../../hal/edk2/devices.ts'
import { gpioPower } from '../../hal/gpio/power.ts'
import { simIndicator } from '../../hal/sim/indicators.ts'
import { simPower } from '../../hal/sim/power.ts'
import { ledIndicator } from '../../hal/sysfs/indicators.ts'
import { openDocuments } from '../documents.ts'
import { run } from '../run.ts'

/** The service on Node.js: its files lie beside the bundle. */
const beside = dirname(fileURLToPath(import.meta.url))

await run({
  documents: openDocuments(readFileSync(join(beside, 'documents.bin'))),
  backends: {
    power: { sim: simPower, gpio: (options) => gpioPower(openGpio(), options) },
    indicator: { sim: simIndicator, leds: ledIndicator },
    nvram: { sim: simStore, edk2: (options) => flashStore(openFlash, options) }
  },
  handlers,
  version
})
