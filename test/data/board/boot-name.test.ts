import t from 'tap'
import { parseBootName } from '#data/board'

const names = [
  ['HD.Emb.1', { deviceType: 'HD', location: 'Emb', instance: 1 }],
  ['NVMe.Slot.12.1', { deviceType: 'NVMe', location: 'Slot', instance: 12, subInstance: 1 }],
  [
    'NIC.FlexLOM.1.2.iSCSI',
    { deviceType: 'NIC', location: 'FlexLOM', instance: 1, subInstance: 2, qualifier: 'iSCSI' }
  ],
  ['CD.VirtualUSB.0.65535', { deviceType: 'CD', location: 'VirtualUSB', instance: 0, subInstance: 65535 }]
] as const

t.test('a name of three, four or five sections is read', async (t) => {
  for (const [text, name] of names) t.same(parseBootName(text), name)
})

t.test('a text that breaks the rule is not a boot name', async (t) => {
  for (const text of [
    '',
    'HD',
    'HD.Emb',
    'HD.Emb.',
    'HD..1',
    'HD.Emb.1.',
    'HD.Emb.1.1.IPv4.1',
    'hd.Emb.1',
    'Tape.Emb.1',
    'HD.Attic.1',
    'HD.Emb.one',
    'HD.Emb.-1',
    'HD.Emb.01',
    'HD.Emb.1.5e3',
    'HD.Emb.65536',
    'HD.Emb. 1',
    'NIC.LOM.1.IPv4',
    'NIC.LOM.1..IPv4',
    'NIC.LOM.1.1.ipv4',
    'NIC.LOM.1.1.SMB',
    'NIC.LOM.1.1.IPv4\n'
  ]) {
    t.equal(parseBootName(text), undefined, JSON.stringify(text))
  }
})
