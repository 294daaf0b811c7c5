import { pathToFileURL } from 'node:url'
import t from 'tap'

const { bootloaderSettings } = await import(pathToFileURL('runtime/image/bootloader.mjs').href)

t.test('the boot loader does not look at its console unless the build asks for that', async (t) => {
  t.match(bootloaderSettings(false), /^CONFIG_BOOTDELAY=-2$/m)
  t.match(bootloaderSettings(true), /^CONFIG_BOOTDELAY=2$/m)
})
