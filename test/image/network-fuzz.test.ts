import t from 'tap'
import { fuzz, fuzzer, skip, timeout } from '#test/embedded/fuzzers.ts'

t.setTimeout(timeout)

const folder = 'deploy/image/init'
const parts = [
  'clock.c',
  'dhcp.c',
  'dhcp6.c',
  'domains.c',
  'netlink.c',
  'network_files.c',
  'network_messages.c',
  'port.c',
  'port_settings.c',
  'random_bytes.c',
  'small_file.c',
  'sntp.c'
]

t.test(
  'for all messages of network, network process, kernel and service, accepted ones are valid',
  { skip },
  async (t) => {
    t.equal(fuzz(folder, fuzzer(folder, 'network_fuzz', parts), 500_000), '')
  }
)
