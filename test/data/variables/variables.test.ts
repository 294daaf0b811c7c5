import t from 'tap'
import { bootNumbers, ordinaryAttributes, waitingData } from '#data/variables'
import { bootNext, bootOrder } from '#hal/uefi/variables.ts'
import { hex } from '#runtime/base/bytes.ts'
import { context } from '#test/handlers/context.ts'

t.test('boot options are 16-bit numbers, little endian', async (t) => {
  t.same(bootNumbers(['Boot0004', 'Boot12AB']), Uint8Array.of(4, 0, 0xab, 0x12))
})

const option = { attributes: ordinaryAttributes, data: Uint8Array.of(1) }
const { machine } = context({ variables: { [`${bootOrder.guid}/Boot12AB`]: option } })

/** The order that a client asked for, and has put options into, as it is written over what the host has by then. */
function written(wanted: readonly string[], added: readonly string[], present: Uint8Array | undefined) {
  const waits = { attributes: ordinaryAttributes, data: hex(bootNumbers(wanted)), added: hex(bootNumbers(added)) }
  return waitingData(machine, '1', bootOrder, waits, present)
}

t.test('a pending order has the options of the host at that time, and those that a client added', async (t) => {
  const present = bootNumbers(['Boot00F0', 'Boot0001'])
  const wanted = ['Boot12AB', 'Boot0002', 'Boot0001']
  t.same(written(wanted, [], present), bootNumbers(['Boot0001', 'Boot00F0']), 'the host has taken the others out')
  t.same(written(wanted, ['Boot12AB'], present), bootNumbers(['Boot12AB', 'Boot0001', 'Boot00F0']))
  t.same(written(wanted, wanted, undefined), bootNumbers(wanted))
  t.same(written(wanted, wanted, Uint8Array.of(9)), bootNumbers(wanted), 'half a number is ignored')
})

t.test('an option that no longer exists is left out of the boot order that a client wrote', async (t) => {
  const added = ['Boot12AC', 'Boot12AB', 'Boot0002']
  t.same(written(added, added, bootNumbers(['Boot0001'])), bootNumbers(['Boot12AB', 'Boot0002', 'Boot0001']))
})

t.test('other variables get the values wanted', async (t) => {
  const waits = (data: string | null) => ({ attributes: ordinaryAttributes, data })
  t.same(waitingData(machine, '1', bootNext, waits('0400'), Uint8Array.of(1, 0)), Uint8Array.of(4, 0))
  t.equal(waitingData(machine, '1', bootOrder, waits(null), Uint8Array.of(1, 0)), null)
})
