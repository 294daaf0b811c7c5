import t from 'tap'
import { enforcement } from '#runtime/page/rules/secure-boot.ts'
import type { SecureBoot } from '#runtime/page/types.ts'

const complete = { SecureBootCurrentBoot: 'Enabled', SecureBootEnable: true, SecureBootMode: 'UserMode' } as SecureBoot

t.test('secure boot that is enforced and stays so misses nothing', async (t) => {
  t.same(enforcement(complete, ['dbx']), { isEnforced: true, missing: [] })
})

t.test('it misses what keeps the firmware from enforcing it', async (t) => {
  const off = { ...complete, SecureBootCurrentBoot: 'Disabled' } as SecureBoot
  t.same(enforcement({ ...off, SecureBootEnable: false, SecureBootMode: 'SetupMode' }, ['PK', 'KEK', 'db']), {
    isEnforced: false,
    missing: ['disabled', 'PK', 'KEK', 'db']
  })
  t.same(enforcement({ ...off, SecureBootMode: 'AuditMode' }, []), { isEnforced: false, missing: ['AuditMode'] })
})

t.test('a machine in setup mode misses its platform key, also without databases', async (t) => {
  t.same(enforcement({ ...complete, SecureBootMode: 'SetupMode' }, []), { isEnforced: true, missing: ['PK'] })
})

t.test('where all is there, a boot is missing', async (t) => {
  t.same(enforcement({ ...complete, SecureBootCurrentBoot: 'Disabled' }, []), { isEnforced: false, missing: ['boot'] })
})
