// own process: it starts what was built
// needs: openssl
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the examples of the inventory work as printed', async (t) => {
  const { printed, times } = await followPage(t, 'docs/inventory.md')
  t.equal(times('"error":'), printed.match(/Base\.[\d.]+\.(Success|Created)/g)?.length, printed)
  t.equal(times('"Model":"NA225-OCP"'), 1, 'the adapter')
  for (const count of ['RXBytes', 'ReadIOKiBytes', 'CorrectableECCErrorCount', 'PowerLimitThrottleDuration'])
    t.equal(times(`"${count}":`), 1, count)
  t.equal(times('"AssociatedMACAddresses":["8C:12:C2:0A:41:5'), 3, 'its ports, and that of the controller')
  t.equal(times('"WWPN":"10:00:00:10:9B:0A:41:61"'), 1, 'a function of Fibre Channel')
  t.match(printed, '"Rack":"B7","RackOffset":21,"RackOffsetUnits":"EIA_310","Row":"North"', 'the location')
  t.equal(times('"Name":"Secure erase of drive 6 of storage slot3"'), 2, 'the task')
  t.equal(times('"SystemName":"rack-b7-leaf1.example.net"'), 1, 'the neighbour of the controller')
  t.match(printed, /"StopBootOnFault":"AnyFault","UefiTargetBootSourceOverride":"[^"]+"/, 'one boot from one option')
  for (const part of ['DAC25', 'RS220 mainboard', 'SB96', '7.2.3.1']) t.match(printed, part)
})
