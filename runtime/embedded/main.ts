import documents from 'minnow:documents'
import { handlers, version } from '#generated'
import { openFlash } from '#hal/native'
import { flashStore, simStore } from '../../hal/edk2/devices.ts'
import { simIndicator } from '../../hal/sim/indicators.ts'
import { simPower } from '../../hal/sim/power.ts'
import { openDocuments } from '../documents.ts'
import { run } from '../run.ts'

/** The service in the binary: its files are linked in. */
await run({
  documents: openDocuments(documents),
  backends: {
    power: { sim: simPower },
    indicator: { sim: simIndicator },
    nvram: { sim: simStore, edk2: (options) => flashStore(openFlash, options) }
  },
  handlers,
  version
})
