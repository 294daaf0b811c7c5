/**
 * `npm start`: the service that was built. With `--board openbmc-sim` it manages a simulated machine with OpenBMC, which
 * starts before it.
 */
const name = 'openbmc-sim'
const at = process.argv.findIndex((each, index) => each === name && process.argv[index - 1] === '--board')
if (at > 0) {
  const { simulatedMachine } = await import('../../test/openbmc/machine.mjs')
  process.argv[at] = await simulatedMachine()
}
// It looks for files beside itself.
const built = 'dist/minnow.mjs'
process.argv[1] = built
await import(`../../${built}`)
