import type { Test } from 'tap'
import type { Certs } from '#hal/certs.ts'

/**
 * The contract of every back end of hal/certs.ts.
 *
 * @param open the place at that path, which is created if it is missing
 */
export function certsContract(t: Test, backEnd: string, open: (place: string) => Certs | Promise<Certs>) {
  const withCerts = (title: string, body: (t: Test, certs: Certs, place: string) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const place = `${t.testdir()}/certs`
      const certs = await open(place)
      t.teardown(() => certs.close())
      await body(t, certs, place)
    })

  withCerts('a new place holds nothing', async (t, certs) => {
    t.same([certs.get('server'), certs.get('request')], [undefined, undefined])
    t.not(certs.where('server'), certs.where('request'))
  })

  withCerts('what is kept is there again, byte for byte, also for the next process', async (t, certs, place) => {
    await certs.set('server', 'key\ncertificate ü\n')
    await certs.set('request', 'other')
    t.same([certs.get('server'), certs.get('request')], ['key\ncertificate ü\n', 'other'])
    await certs.close()
    const again = await open(place)
    t.same([again.get('server'), again.get('request')], ['key\ncertificate ü\n', 'other'])
    await again.close()
  })

  withCerts('the newest text replaces the previous one, and a deleted name has none', async (t, certs, place) => {
    await certs.set('server', 'a much longer text than the next')
    await certs.set('server', 'short')
    await certs.set('request', 'other')
    await certs.delete('request')
    t.same([certs.get('server'), certs.get('request')], ['short', undefined])
    const again = await open(place)
    t.same([again.get('server'), again.get('request')], ['short', undefined])
    await again.close()
  })

  withCerts('each change is reported once; deleting a missing name reports nothing', async (t, certs) => {
    const heard: string[] = []
    const stop = certs.on((name) => heard.push(`${name} ${certs.get(name)}`))
    await certs.set('server', 'one')
    await certs.delete('request')
    await certs.set('request', 'two')
    await certs.delete('request')
    stop()
    await certs.set('server', 'three')
    t.same(heard, ['server one', 'request two', 'request undefined'])
  })

  withCerts('closed, it is ENODEV', async (t, certs) => {
    await certs.close()
    await t.rejects(certs.set('server', 'text'), { name: 'HalError', code: 'ENODEV' })
    await t.rejects(certs.delete('server'), { name: 'HalError', code: 'ENODEV' })
  })
}
