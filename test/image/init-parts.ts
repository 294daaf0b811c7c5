/** C files of the init process, with their headers, for buildTest. */

const folder = '../../deploy/image/init'

export function initFiles(...names: readonly string[]): string[] {
  return names.flatMap((name) => [`${folder}/${name}.c`, `${folder}/${name}.h`])
}

/** The network of the init process, but for what the network process does, and for its user. */
export const networkFiles = [
  ...initFiles(
    'clock',
    'confinement',
    'dhcp',
    'dhcp6',
    'domains',
    'journal',
    'netlink',
    'network',
    'network_files',
    'network_messages',
    'network_process',
    'port',
    'port_settings',
    'random_bytes',
    'restart',
    'small_file'
  ),
  `${folder}/user.h`,
  '../../test/image/fixtures/user.c',
  ...['c', 'h'].map((ending) => `../../runtime/embedded/seccomp_program.${ending}`)
]
