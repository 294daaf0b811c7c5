// own process: it starts what was built
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { directory } from '#test/host/server.ts'
import { Slapd } from '#test/host/slapd.ts'
import { followPage } from './tours.ts'

t.test('the examples of directories work as printed', async (t) => {
  const slapd = await Slapd.start(t)
  const file = join(directory(t), 'ca.pem')
  writeFileSync(file, slapd.authority.cert)
  const { printed, times } = await followPage(t, 'docs/directory.md', (steps) =>
    steps.replaceAll('ldaps://ldap.example.net', slapd.ldaps).replaceAll('ca.pem', file)
  )
  t.equal(times('Base.1.12.Success'), 5, printed)
  t.match(printed, /"UserName":"alice"/)
  t.match(printed, /"Roles":\["Administrator"\]/)
  t.match(printed, /"UserType":"LDAP"/)
})
