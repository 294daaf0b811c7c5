/** The lines of each icon in a square of 24 by 24. */
const lines = {
  overview: 'M3 10l9-7 9 7v10h-6v-6H9v6H3z',
  sensors: 'M14 14V5a2 2 0 0 0-4 0v9a4 4 0 1 0 4 0z',
  power: 'M13 2L5 13h6l-1 9 9-12h-6z',
  inventory: 'M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10',
  bios: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  boot: 'M9 6h11M9 12h11M9 18h11M4 5l2 1-2 1zM4 12h1M4 18h1',
  secureBoot: 'M12 3l8 3v6c0 5-3 8-8 9-5-1-8-4-8-9V6zM9 12l2 2 4-4',
  updates: 'M12 16V4M7 9l5-5 5 5M4 20h16',
  console: 'M3 5h18v14H3zM7 9l3 3-3 3M12 15h5',
  media: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  log: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7',
  tasks: 'M4 6l2 2 3-4M4 14l2 2 3-4M12 6h8M12 14h8M4 20h16',
  accounts: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6',
  sessions: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  certificates: 'M12 3a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM9 14l-2 7 5-2 5 2-2-7',
  network: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  time: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  notifications: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  license: 'M15 7a4 4 0 1 0-4 5l-7 7v2h4v-3h3v-3',
  explorer: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  down: 'M6 9l6 6 6-6',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  search: 'M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6'
} as const

/** Icons with a start and an end, mirrored on a page from right to left; those for Latin text are not. */
const turned: ReadonlySet<string> = new Set<IconName>(['boot', 'log', 'sessions'])

export type IconName = keyof typeof lines

/** An icon beside words that say the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon ${turned.has(name) ? 'turned' : ''}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  )
}
