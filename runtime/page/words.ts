import { signal } from '@preact/signals'

/** The words of the page: English, German. `{0}` is the first argument. */
export const words = {
  skip: ['Skip to the content', 'Zum Inhalt'],
  screens: ['Screens', 'Ansichten'],
  system: ['System', 'System'],
  language: ['Language', 'Sprache'],
  logIn: ['Log in', 'Anmelden'],
  logOut: ['Log out', 'Abmelden'],
  user: ['User name', 'Benutzername'],
  password: ['Password', 'Kennwort'],
  keep: ['Stay logged in when this tab is reloaded', 'In diesem Tab angemeldet bleiben'],
  controller: ['Management controller', 'Management-Controller'],
  expired: [
    'Your session is over. Log in to go on.',
    'Ihre Sitzung ist zu Ende. Melden Sie sich an, um weiterzumachen.'
  ],
  wrongPassword: [
    'User name or password is wrong, or the account is locked for a while.',
    'Benutzername oder Kennwort ist falsch, oder das Konto ist eine Weile gesperrt.'
  ],
  tooManySessions: [
    'There are too many sessions. Try again later.',
    'Es gibt zu viele Sitzungen. Versuchen Sie es später wieder.'
  ],
  noLogin: [
    'The service does not take logins now. Try again later.',
    'Der Dienst nimmt jetzt keine Anmeldung an. Versuchen Sie es später wieder.'
  ],
  changeFirst: ['Choose a new password first', 'Wählen Sie zuerst ein neues Kennwort'],
  newPassword: ['New password', 'Neues Kennwort'],
  changePassword: ['Change password', 'Kennwort ändern'],
  save: ['Save', 'Speichern'],
  cancel: ['Cancel', 'Abbrechen'],
  opening: ['connecting …', 'verbindet …'],
  live: ['live', 'live'],
  lost: ['Connection lost. Trying again …', 'Verbindung verloren. Neuer Versuch …'],
  full: ['No live events: too many watch', 'Keine Ereignisse: zu viele schauen zu'],
  noAnswer: [
    'The service does not answer. Look at the connection, and try again.',
    'Der Dienst antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.'
  ],
  refused: ['The service answered with status {0}.', 'Der Dienst antwortete mit Status {0}.'],
  tryAgain: ['Try again', 'Noch einmal'],
  working: ['Working', 'In Arbeit'],
  loading: ['Loading', 'Wird geladen'],
  overview: ['Overview', 'Übersicht'],
  bios: ['BIOS settings', 'BIOS-Einstellungen'],
  explorer: ['Explorer', 'Explorer'],
  power: ['Power', 'Strom'],
  lamp: ['Locator lamp', 'Suchlampe'],
  lampOn: ['Turn lamp on', 'Lampe an'],
  lampOff: ['Turn lamp off', 'Lampe aus'],
  On: ['Power on', 'Einschalten'],
  GracefulShutdown: ['Shut down', 'Herunterfahren'],
  GracefulRestart: ['Restart', 'Neu starten'],
  ForceRestart: ['Reset', 'Reset'],
  ForceOff: ['Power off hard', 'Hart ausschalten'],
  PushPowerButton: ['Press power button', 'Einschaltknopf drücken'],
  Nmi: ['Send NMI', 'NMI senden'],
  'GracefulShutdown?': [
    'Shut down {0}? The operating system is asked to end its work.',
    '{0} herunterfahren? Das Betriebssystem wird gebeten, seine Arbeit zu beenden.'
  ],
  'GracefulRestart?': [
    'Restart {0}? The operating system is asked to end its work.',
    '{0} neu starten? Das Betriebssystem wird gebeten, seine Arbeit zu beenden.'
  ],
  'ForceRestart?': [
    'Reset {0} at once? What is not saved is lost.',
    '{0} sofort zurücksetzen? Was nicht gespeichert ist, geht verloren.'
  ],
  'ForceOff?': [
    'Power {0} off at once? What is not saved is lost.',
    '{0} sofort ausschalten? Was nicht gespeichert ist, geht verloren.'
  ],
  'Nmi?': [
    'Send {0} a non-maskable interrupt? Most operating systems stop with a dump.',
    '{0} einen nicht maskierbaren Interrupt senden? Die meisten Betriebssysteme halten mit einem Abbild an.'
  ],
  'PushPowerButton?': [
    'Press the power button of {0}? Most operating systems shut down.',
    'Einschaltknopf von {0} drücken? Die meisten Betriebssysteme fahren dann herunter.'
  ],
  isOn: ['is on already', 'läuft schon'],
  isOff: ['is off', 'ist aus'],
  inTransition: ['is changing its state', 'wechselt gerade'],
  stateUnknown: ['state unknown', 'Zustand unbekannt'],
  nextReset: ['At the next reset', 'Beim nächsten Reset'],
  nothingPending: ['Nothing waits for it.', 'Nichts wartet darauf.'],
  biosChanges: ['BIOS settings that change: {0}', 'BIOS-Einstellungen, die sich ändern: {0}'],
  bootsFrom: ['Boots from {0} ({1})', 'Startet von {0} ({1})'],
  bootMode: ['Boot mode {0}', 'Startmodus {0}'],
  nvramClear: ['The NVRAM is cleared', 'Das NVRAM wird gelöscht'],
  recovery: ['A recovery runs', 'Eine Wiederherstellung läuft'],
  stagedVersion: ['{0} {1} starts', '{0} {1} startet'],
  machine: ['Machine', 'Maschine'],
  health: ['Health', 'Zustand'],
  model: ['Model', 'Modell'],
  serial: ['Serial number', 'Seriennummer'],
  assetTag: ['Asset tag', 'Inventarnummer'],
  processors: ['Processors', 'Prozessoren'],
  memory: ['Memory', 'Arbeitsspeicher'],
  postState: ['Power-on self-test', 'Selbsttest'],
  firmware: ['Firmware', 'Firmware'],
  name: ['Name', 'Name'],
  version: ['Version', 'Version'],
  state: ['State', 'Zustand'],
  staged: ['starts at the next reset', 'startet beim nächsten Reset'],
  active: ['active', 'aktiv'],
  lastEvents: ['Last events', 'Letzte Ereignisse'],
  noEvents: ['Nothing has happened since you opened this page.', 'Seit dem Öffnen dieser Seite ist nichts geschehen.'],
  menus: ['Menus', 'Menüs'],
  changed: ['Changed', 'Geändert'],
  search: ['Search names, help and values', 'Namen, Hilfe, Werte suchen'],
  saveChanges: ['Save changes ({0})', 'Änderungen speichern ({0})'],
  discard: ['Discard', 'Verwerfen'],
  nothingFound: ['Nothing found.', 'Nichts gefunden.'],
  now: ['now: {0}', 'jetzt: {0}'],
  undo: ['Undo', 'Zurück'],
  undoOf: ['Undo {0}', '{0} zurücknehmen'],
  settles: ['Other settings make this {0}.', 'Andere Einstellungen machen daraus {0}.'],
  lastTransfer: ['Refused at the last reset:', 'Beim letzten Reset abgelehnt:'],
  defaults: ['Defaults', 'Voreinstellungen'],
  resetToDefaults: ['Reset to defaults', 'Auf Voreinstellung zurück'],
  defaultsQuestion: [
    'All settings get their defaults at the next reset. All changes are discarded.',
    'Alle Einstellungen bekommen beim nächsten Reset ihre Voreinstellung. Alle Änderungen werden verworfen.'
  ],
  biosPasswords: ['BIOS passwords', 'BIOS-Kennwörter'],
  resources: ['Resources', 'Ressourcen'],
  open: ['Open {0}', '{0} öffnen'],
  change: ['Change', 'Ändern'],
  sendIt: ['Send {0}', '{0} senden'],
  sendQuestion: ['Send {0} to {1}?', '{0} an {1} senden?'],
  create: ['Create a member', 'Element anlegen'],
  delete: ['Delete', 'Löschen'],
  deleteQuestion: ['Delete {0}? This cannot be undone.', '{0} löschen? Das ist nicht rückgängig zu machen.'],
  copy: ['Copy', 'Kopieren'],
  copied: ['Copied', 'Kopiert'],
  schema: ['Schema', 'Schema'],
  type: ['Type', 'Typ'],
  access: ['Access', 'Zugriff'],
  values: ['Values', 'Werte'],
  description: ['Description', 'Beschreibung'],
  writable: ['writable', 'änderbar'],
  readOnly: ['read-only', 'nur lesbar'],
  required: ['required', 'nötig'],
  yes: ['Yes', 'Ja'],
  no: ['No', 'Nein'],
  onePerLine: ['One per line.', 'Je Zeile einer.'],
  linesOf: ['Each line: {0}; - for none.', 'Je Zeile: {0}; - für keine.'],
  noJson: ['This is not JSON.', 'Das ist kein JSON.'],
  sensors: ['Sensors', 'Sensoren'],
  boot: ['Boot', 'Start'],
  secureBoot: ['Secure boot', 'Secure Boot'],
  log: ['Log', 'Protokoll'],
  updates: ['Updates', 'Updates'],
  accounts: ['Accounts', 'Konten'],
  settings: ['Settings', 'Einstellungen'],
  bootOrder: ['Boot order', 'Startreihenfolge'],
  up: ['Move {0} up', '{0} nach oben'],
  down: ['Move {0} down', '{0} nach unten'],
  outsideBootOrder: ['Not in the order:', 'Nicht in der Reihenfolge:'],
  putIn: ['Put {0} into the boot order', '{0} in die Startreihenfolge aufnehmen'],
  override: ['Boot override', 'Abweichender Start'],
  bootFrom: ['Boot from', 'Starten von'],
  howOften: ['How often', 'Wie oft'],
  uefiTarget: ['Device path, for UefiTarget', 'Gerätepfad, für UefiTarget'],
  inserted: ['inserted', 'eingelegt'],
  empty: ['empty', 'leer'],
  onItsWay: ['on its way', 'unterwegs'],
  image: ['Image', 'Abbild'],
  mediaTypes: ['Media types', 'Medientypen'],
  writeProtected: ['Write-protected', 'Schreibgeschützt'],
  eject: ['Eject', 'Auswerfen'],
  imageUrl: ['URL of an image', 'URL eines Abbilds'],
  insert: ['Insert', 'Einlegen'],
  atNextReset: ['Boot from it at the next reset', 'Beim nächsten Reset davon starten'],
  notAtNextReset: ['Do not boot from it at the next reset', 'Beim nächsten Reset nicht davon starten'],
  mode: ['Mode', 'Modus'],
  thisBoot: ['This boot', 'Dieser Start'],
  fromNextBoot: ['From the next boot on', 'Ab dem nächsten Start'],
  enabled: ['enabled', 'ein'],
  disabled: ['disabled', 'aus'],
  enable: ['Enable', 'Einschalten'],
  disable: ['Disable', 'Ausschalten'],
  disableQuestion: [
    'Without secure boot the firmware starts unsigned programs.',
    'Ohne Secure Boot startet die Firmware auch Programme, die niemand signiert hat.'
  ],
  ResetAllKeysToDefault: ['Reset keys to defaults', 'Schlüssel auf Voreinstellung'],
  DeleteAllKeys: ['Delete all keys', 'Alle Schlüssel löschen'],
  DeletePK: ['Delete the platform key', 'Plattformschlüssel löschen'],
  'ResetAllKeysToDefault?': [
    'All databases get the keys of the factory. All others are gone.',
    'Alle Datenbanken bekommen die Schlüssel des Werks. Alle anderen sind weg.'
  ],
  'DeleteAllKeys?': [
    'All keys of all databases are deleted. The machine is in setup mode: anybody can enrol keys.',
    'Alle Schlüssel aller Datenbanken werden gelöscht. Die Maschine ist dann im Setup-Modus: jeder kann Schlüssel eintragen.'
  ],
  'DeletePK?': [
    'Without a platform key the machine is in setup mode: anybody can enrol keys.',
    'Ohne Plattformschlüssel ist die Maschine im Setup-Modus: jeder kann Schlüssel eintragen.'
  ],
  databaseQuestion: ['{0} of {1}?', '{0} in {1}?'],
  effectPK: [
    'The owner of this key decides about all others. It takes the machine from setup mode to user mode.',
    'Der Besitzer dieses Schlüssels entscheidet über alle anderen. Er bringt die Maschine vom Setup- in den User-Modus.'
  ],
  effectKEK: [
    'The owner of this key may change the databases db and dbx.',
    'Der Besitzer dieses Schlüssels darf die Datenbanken db und dbx ändern.'
  ],
  effectDb: [
    'Programs that this key signed may start.',
    'Programme, die dieser Schlüssel signiert hat, dürfen starten.'
  ],
  effectDbx: [
    'Programs that this key signed may not start any more.',
    'Programme, die dieser Schlüssel signiert hat, dürfen nicht mehr starten.'
  ],
  effectDbt: ['This key may say when something was signed.', 'Dieser Schlüssel darf sagen, wann etwas signiert wurde.'],
  effectDbr: [
    'Recovery programs that this key signed may start.',
    'Programme zur Wiederherstellung, die dieser Schlüssel signiert hat, dürfen starten.'
  ],
  signature: ['Signature', 'Signatur'],
  enrol: ['Enrol a certificate', 'Zertifikat eintragen'],
  noFile: ['choose a file first', 'erst eine Datei wählen'],
  subject: ['Subject', 'Inhaber'],
  issuer: ['Issuer', 'Aussteller'],
  valid: ['Valid', 'Gültig'],
  fingerprint: ['SHA-256', 'SHA-256'],
  certificateFile: ['Certificate, PEM or DER', 'Zertifikat, PEM oder DER'],
  noCertificate: ['There is no certificate in this file.', 'In dieser Datei ist kein Zertifikat.'],
  liveEvents: ['Live events', 'Ereignisse, live'],
  clearLog: ['Clear log', 'Protokoll leeren'],
  clearQuestion: ['Clear {0}? Its entries are gone.', '{0} leeren? Die Einträge sind dann weg.'],
  severity: ['Severity', 'Schwere'],
  allSeverities: ['All severities', 'Jede Schwere'],
  filter: ['Filter', 'Filtern'],
  time: ['Time', 'Zeit'],
  message: ['Message', 'Meldung'],
  origin: ['Origin', 'Herkunft'],
  table: ['Table', 'Tabelle'],
  reading: ['Reading', 'Messwert'],
  unit: ['Unit', 'Einheit'],
  threshold: ['Threshold', 'Schwelle'],
  upload: ['Upload', 'Hochladen'],
  dropFile: ['Drop an update file here, or choose one', 'Update-Datei hierher ziehen oder auswählen'],
  updateFile: ['Update file', 'Update-Datei'],
  applyTime: ['Apply', 'Anwenden'],
  update: ['Update', 'Aktualisieren'],
  tasks: ['Tasks', 'Aufgaben'],
  noTasks: ['Nothing runs.', 'Nichts läuft.'],
  giveUp: ['Give up', 'Aufgeben'],
  giveUpQuestion: ['Give this task up?', 'Diese Aufgabe aufgeben?'],
  slot: ['Slot', 'Platz'],
  oldestVersion: ['Oldest version taken', 'Älteste erlaubte Version'],
  resetController: ['Restart the controller', 'Controller neu starten'],
  resetControllerQuestion: [
    'The controller restarts, and this page waits for it. The host goes on.',
    'Der Controller startet neu, diese Seite wartet darauf. Die Maschine läuft weiter.'
  ],
  logins: ['Logins', 'Anmeldungen'],
  locked: ['This account is locked.', 'Dieses Konto ist gesperrt.'],
  yourself: ['that is you', 'das sind Sie'],
  newAccount: ['New account', 'Neues Konto'],
  role: ['Role', 'Rolle'],
  createIt: ['Create', 'Anlegen'],
  sessions: ['Sessions', 'Sitzungen'],
  address: ['Address', 'Adresse'],
  since: ['Since', 'Seit'],
  end: ['End', 'Beenden'],
  endQuestion: ['End the session of {0}?', 'Sitzung von {0} beenden?'],
  network: ['Network', 'Netzwerk'],
  hostName: ['Host name', 'Rechnername'],
  offset: ['Offset from UTC', 'Abstand zu UTC'],
  httpsCertificate: ['Certificate of this page', 'Zertifikat dieser Seite'],
  replace: ['Replace the certificate', 'Zertifikat ersetzen'],
  replaceQuestion: [
    'New connections use this certificate. If it is not yours, browsers will refuse it.',
    'Neue Verbindungen verwenden dieses Zertifikat. Passt es nicht, lehnen Browser es ab.'
  ],
  signingRequest: ['Signing request', 'Signaturanfrage'],
  license: ['License', 'Lizenz'],
  installed: ['Installed', 'Installiert'],
  licenseKey: ['License key', 'Lizenzschlüssel'],
  install: ['Install', 'Installieren'],
  subscriptions: ['Subscriptions', 'Abonnements'],
  destination: ['Destination', 'Ziel'],
  context: ['Context', 'Kontext'],
  subscribe: ['Subscribe', 'Abonnieren'],
  testEvent: ['Send a test event', 'Testereignis senden'],
  arrived: ['It arrived:', 'Es ist angekommen:'],
  console: ['Console', 'Konsole'],
  noConsole: ['This machine has no serial console.', 'Diese Maschine hat keine serielle Konsole.'],
  connected: ['Connected.', 'Verbunden.'],
  consoleOver: ['The connection has ended.', 'Die Verbindung ist zu Ende.'],
  again: ['Connect again', 'Neu verbinden'],
  leaveConsole: ['Shift and Tab leave it.', 'Umschalt und Tab verlassen sie.'],
  typeHere: ['Type here, and press Enter', 'Hier tippen, dann Eingabetaste']
} as const satisfies Readonly<Record<string, readonly [en: string, de: string]>>

export type Word = keyof typeof words

/** The names of what can be entered, by where it stands in a resource; those of a maker without `Oem` and the maker. */
export const names: Readonly<Record<string, readonly [en: string, de: string]>> = {
  AccountLockoutCounterResetAfter: [
    'Wrong passwords are forgotten after, seconds',
    'Falsche Kennwörter vergessen nach, Sekunden'
  ],
  AccountLockoutDuration: ['Locked for, seconds', 'Gesperrt für, Sekunden'],
  AccountLockoutThreshold: ['Wrong passwords until locked', 'Falsche Kennwörter bis zur Sperre'],
  Address: ['address', 'Adresse'],
  City: ['City', 'Ort'],
  CommonName: ['Host name (CN)', 'Rechnername (CN)'],
  Country: ['Country, two letters', 'Land, zwei Buchstaben'],
  'DHCPv4/DHCPEnabled': ['Address from DHCP', 'Adresse von DHCP'],
  'DHCPv4/UseDNSServers': ['Name servers from DHCP', 'Nameserver von DHCP'],
  'DHCPv4/UseDomainName': ['Domain from DHCP', 'Domäne von DHCP'],
  'DHCPv4/UseGateway': ['Gateway from DHCP', 'Gateway von DHCP'],
  'DHCPv4/UseNTPServers': ['Time servers from DHCP', 'Zeitserver von DHCP'],
  'DHCPv6/OperatingMode': ['DHCPv6', 'DHCPv6'],
  'DHCPv6/UseDNSServers': ['Name servers from DHCPv6', 'Nameserver von DHCPv6'],
  'DHCPv6/UseDomainName': ['Domain from DHCPv6', 'Domäne von DHCPv6'],
  'DHCPv6/UseNTPServers': ['Time servers from DHCPv6', 'Zeitserver von DHCPv6'],
  Enabled: ['May log in', 'Darf sich anmelden'],
  EnforcePasswordComplexity: ['Only complex passwords', 'Nur komplexe Kennwörter'],
  FQDN: ['Full host name', 'Voller Rechnername'],
  Gateway: ['gateway', 'Gateway'],
  'HTTPS/Port': ['HTTPS: port', 'HTTPS: Port'],
  HostName: ['Host name', 'Rechnername'],
  IPv4StaticAddresses: ['Fixed IPv4 addresses', 'Feste IPv4-Adressen'],
  IPv6StaticAddresses: ['Fixed IPv6 addresses', 'Feste IPv6-Adressen'],
  IPv6StaticDefaultGateways: ['Fixed IPv6 gateways', 'Feste IPv6-Gateways'],
  InterfaceEnabled: ['Port in use', 'Anschluss in Betrieb'],
  Locked: ['Locked', 'Gesperrt'],
  LoginName: ['Name for login', 'Anmeldename'],
  MTUSize: ['Largest packet (MTU), bytes', 'Größtes Paket (MTU), Byte'],
  MinPasswordLength: ['Shortest password, characters', 'Kürzestes Kennwort, Zeichen'],
  'MulticastDNS/Port': ['mDNS: port', 'mDNS: Port'],
  'MulticastDNS/ProtocolEnabled': ['Can be found by mDNS', 'Mit mDNS zu finden'],
  'NTP/NTPServers': ['Time servers', 'Zeitserver'],
  'NTP/ProtocolEnabled': ['Set the clock by time servers', 'Uhr nach Zeitservern stellen'],
  NewPassword: ['New password', 'Neues Kennwort'],
  OldPassword: ['Old password', 'Altes Kennwort'],
  Organization: ['Organization', 'Organisation'],
  OrganizationalUnit: ['Department', 'Abteilung'],
  Password: ['Password', 'Kennwort'],
  PasswordChangeRequired: ['Has to change the password', 'Muss das Kennwort ändern'],
  PasswordName: ['Whose password', 'Wessen Kennwort'],
  PrefixLength: ['prefix length', 'Präfixlänge'],
  'Privileges/SystemRecoveryConfigPriv': ['May configure recovery', 'Darf Wiederherstellung einrichten'],
  HTTPBasicAuth: ['HTTP Basic', 'HTTP Basic'],
  RefuseGuessablePasswords: ['Hard to guess', 'Nicht erratbar'],
  RoleId: ['Role', 'Rolle'],
  RollbackTime: ['Undone after, seconds', 'Zurück nach, Sekunden'],
  'SSDP/NotifyMulticastIntervalSeconds': ['SSDP: seconds between notices', 'SSDP: Sekunden zwischen Meldungen'],
  'SSDP/NotifyTTL': ['SSDP: reach in hops (TTL)', 'SSDP: Reichweite in Hops (TTL)'],
  'SSDP/Port': ['SSDP: port', 'SSDP: Port'],
  'SSDP/ProtocolEnabled': ['Can be found by SSDP', 'Mit SSDP zu finden'],
  State: ['State or province', 'Bundesland'],
  'StatelessAddressAutoConfig/IPv6AutoConfigEnabled': [
    'IPv6 address from the router (SLAAC)',
    'IPv6-Adresse vom Router (SLAAC)'
  ],
  StaticNameServers: ['Name servers (DNS)', 'Nameserver (DNS)'],
  SubnetMask: ['mask', 'Maske'],
  UserName: ['User name', 'Benutzername'],
  'VLAN/VLANEnable': ['VLAN', 'VLAN'],
  'VLAN/VLANId': ['VLAN: number', 'VLAN: Nummer'],
  'VLAN/VLANPriority': ['VLAN: priority', 'VLAN: Priorität']
}

/** The languages by their codes (RFC 5646), in the order of `words`. */
export const languages = { en: 'English', de: 'Deutsch' } as const

type Language = keyof typeof languages

/** The language that is shown. */
export const language = signal<Language>('en')

/** The first of some languages that the page has words in. */
export function preferred(codes: readonly string[]): Language {
  const known = codes.map((code) => code.slice(0, 2)).find((code) => code in languages)
  return (known as Language | undefined) ?? 'en'
}

/** A word in the language that is shown, with its arguments in their places. */
export function t(word: Word, ...args: readonly string[]): string {
  return chosen(words[word]).replace(/\{(\d)\}/g, (whole, number) => args[Number(number)] ?? whole)
}

/** The name of what stands at a path of a resource: that of its schema where there is no other. */
export function nameOf(path: readonly string[]): string {
  const known = names[(path[0] === 'Oem' ? path.slice(2) : path).join('/')]
  return known === undefined ? path.join(' › ') : chosen(known)
}

const chosen = (texts: readonly [string, string]) => texts[Object.keys(languages).indexOf(language.value)] ?? texts[0]
