/** Names of attributes and properties as makers have them, with values in the form that they have. */

type Values = Readonly<Record<string, string | number | boolean>>

/** Credentials: never in a recording. */
export const credentials: Readonly<Record<string, Values>> = {
  Dell: {
    'Users.2.IPMIKey': 'C6A5F3D8E19B4470A2C1D9E8F7B6A5948372615A',
    'Users.2.MD5v3Key': '9F86D081884C7D659A2FEAA0C55AD015',
    'Users.2.SHA1v3Key': '2FD4E1C67A2D28FCED849EE1BB76E7391B93EB12',
    'Users.2.SHA256Password': 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855',
    'Users.2.SHA256PasswordSalt': 'A1B2C3D4E5F60718293A4B5C6D7E8F90',
    'Users.16.Password': 'calvin-and-hobbes',
    'Users.2.SSHPublicKey1':
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl erika@example.net',
    'SNMP.1.AgentCommunity': 'snmpers',
    'IPMILan.1.CommunityName': 'ipmi-folk',
    'IPMILan.1.EncryptionKey': '0000000000000000000000000000000000000000',
    'NTPConfigGroup.1.NTP1SecurityKey': 'tick-tock-7',
    'LDAP.1.BindPassword': 'bound',
    'RFS.1.Password': 'share-me',
    'RemoteHosts.1.SMTPPassword': 'letters',
    'SupportAssist.1.HostOSProxyPassword': 'proxied',
    'USB.1.ZipPassword': 'zipped',
    'VNCServer.1.Password': 'viewer',
    'LCAttributes.1.UserProxyPassword': 'proxied-too',
    'ServerOS.1.ProductKey': 'NKJFK-GPHP7-G8C3J-P6JXR-HQRJR',
    SetupPassword: 'bios-1',
    SysPassword: 'bios-2',
    SHA256SetupPassword: 'B1946AC92492D2347C6235B4D2611184',
    OldSetupPassword: 'bios-0'
  },
  HPE: {
    AdminPassword: 'ilo-1',
    OldPowerOnPassword: 'ilo-2',
    LicenseKey: '35DPH-SVSXJ-HGBJN-C7N5R-2SS4W',
    ReadCommunity: 'readers',
    TrapCommunities: 'trappers',
    AuthPassphrase: 'eight-or-more',
    PrivacyPassphrase: 'more-than-eight',
    DirectoryKerberosKeytab: 'BQIAAABTAAIAC0VYQU1QTEUuTkVU',
    ESKMPassword: 'keeper',
    RemoteSyslogPassword: 'logger'
  },
  Lenovo: {
    SnmpCommunity: 'thinkers',
    CommunityNames: 'thinker-2',
    AuthenticationKey: 'think-auth',
    SED_AuthenticationKey: 'think-disk',
    ClientPassword: 'think-client',
    BMU_Credential: 'think-bmu',
    LicenseString: 'bGljZW5zZSBmb3IgbWUgYW5kIG5vIG9uZQ=='
  },
  Supermicro: {
    HDDPassword_P0: 'disk-0',
    AdministratorPassword: 'amiable',
    SnmpROCommunity: 'super-ro',
    SnmpRWCommunity: 'super-rw',
    RadiusSecret: 'beamy',
    SMTPPassword: 'micro-mail'
  },
  OpenBMC: {
    AuthToken: 'Qk0mRtuZpZ4e1cZ2Jt0u',
    SecretKey: 'JBSWY3DPEHPK3PXP',
    PrivateKey: '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\n-----END RSA PRIVATE KEY-----',
    TOTPKey: 'GEZDGNBVGY3TQOJQ'
  },
  Huawei: {
    ReadOnlyCommunity: 'ibmc-ro@1',
    ReadWriteCommunity: 'ibmc-rw@1',
    CommunityName: 'ibmc-trap',
    SnmpV3PrivPasswd: 'ibmc-priv',
    DomainUserPassword: 'ibmc-domain'
  },
  others: {
    EncryptionKey: 'a-shared-one',
    CommunityString: 'anyone',
    KerberosToken: 'tick.et',
    Secret: 'hush-hush',
    PreSharedKey: 'shared-before',
    'Auth.Pwd': 'short',
    Note: '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO',
    Remark: 'Basic YWRtaW46aHVudGVyMg==',
    Comment: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r'
  }
}

/** Names of persons, hosts and machines: not in a recording with --redact. */
export const identities: Readonly<Record<string, Values>> = {
  Dell: {
    'Users.2.UserName': 'erika.mustermann',
    'Users.2.EmailAddress': 'erika@corp.example',
    'Users.2.SMSNumber': '+49 30 123456',
    'SNMPAlert.1.SNMPv3Username': 'trapuser7',
    'EmailAlert.1.Address': 'ops@corp.example',
    'RemoteHosts.1.SMTPUserName': 'mailer7',
    'RemoteHosts.1.SenderEmail': 'idrac@corp.example',
    'NIC.1.DNSRacName': 'erikas-drac',
    'NIC.1.DNSDomainName': 'dc7.corp.example',
    'ServerOS.1.HostName': 'WIN-7QJ2K',
    'ServerInfo.1.ServiceTag': '8YFKG53',
    'ServerInfo.1.NodeID': '9ZGLH64',
    'ServerInfo.1.RChassisServiceTag': '7XEJF42',
    'ServerTopology.1.DataCenterName': 'Moabit 3',
    'ServerTopology.1.RackName': 'rack of Erika',
    'ServerTopology.1.AisleName': 'aisle 9',
    'ServerTopology.1.RoomName': 'cellar',
    'LCD.1.UserDefinedString': 'call Erika',
    'ActiveDirectory.1.DomainController1': 'ad1.corp.example',
    'ADGroup.1.Name': 'erikas-admins',
    'UserDomain.1.Name': 'corp2.example',
    'LDAP.1.BindDN': 'cn=binder,dc=corp,dc=example',
    'LDAP.1.Server': 'ldap9.corp.example',
    'LDAPRoleGroup.1.DN': 'cn=ops,ou=groups,dc=corp,dc=example',
    'SysLog.1.Server1': 'syslog9',
    'NTPConfigGroup.1.NTP1': 'ntp9.corp.example',
    'RFS.1.User': 'sharer9',
    'Security.1.CsrCommonName': 'drac9.corp.example',
    'Security.1.CsrOrganizationName': 'Mustermann AG',
    'SecurityCertificate.1.SubjectCommonName': 'subject9.corp.example',
    'SecurityCertificate.1.SerialNumber': '821EF8AFC0CD599E',
    'GroupManager.1.GroupUUID': '6c1d1b0a-7d30-4d2f-9a52-2f5c1b7e0a11',
    'SNMP.1.EngineID': '0x80001f88043859464b473533',
    'CurrentIPv6.1.DUID': '00:04:7b:25:d1:5a:5a:7b:25:d1:5a:5a:7b:25:d1:5a:5a:11',
    smbiosGUID: '3346464f-c0b1-3880-4410-00344c4c4511',
    PlatformGUID: '3346464f-c0b1-3880-4410-00344c4c4544',
    BoardSerialNumber: 'CNWS3008BE000L',
    PPID: 'CN0ABCDEWS30089A0123A01',
    ChassisServiceTag: '6WDIE31'
  },
  HPE: {
    ServerName: 'erikas-proliant',
    ServerFQDN: 'dl380.corp.example',
    SystemSerialNumber: 'CZJ8401234',
    ServerAssetTag: 'asset 4711',
    AdminName: 'Erika M',
    AdminEmail: 'admin9@corp.example',
    AdminPhone: '030-987',
    ContactName: 'Max M',
    SerialNumber: 'CZJ8405678',
    IPMISystemGUID: '5a4c4d4e-1111-2222-3333-444455556666'
  },
  Lenovo: { SystemLocation: 'Erika street 5', ContactPerson: 'Otto', MachineName: 'thinknode9', NodeSN: 'J30A9F2K' },
  Supermicro: {
    BoardSerialNumber: 'VM219S012345',
    ProductSerial: 'S411795X2A01',
    MailAddress: 'smc@corp.example',
    IQN: 'iqn.2005-10.com.example.corp:target9'
  },
  OpenBMC: { HostName: 'witherspoon9', LocationCode: 7, SerialNumber: '1318ECA', FQDN: 'bmc9.corp.example' },
  Huawei: {
    DomainName: 'ibmc.corp.example',
    TrapServerAddress: 'traps9.corp.example',
    DeviceLocation: 'never asked',
    ProductSN: '2102311TYBN0J1000005',
    SmtpServer: 'smtp9.corp.example',
    SenderUserName: 'sender9'
  },
  others: {
    WWNN: '20:00:00:25:b5:a0:0f:71',
    WWPN: '20:00:00:25:b5:b0:0f:71',
    NodeGUID: '98039b0300a1b2c3',
    DurableName: '50014380333AABBC',
    Latitude: 52.52,
    CreatedBy: 'Erika',
    RemoteGroup: 'cn=wheel,ou=groups,dc=corp,dc=example'
  }
}

/** Policies, lengths, flags, enumerations and facts of the kind of machine: always as they were. */
export const harmless: Readonly<Record<string, Values>> = {
  Dell: {
    'Security.1.PasswordRequireNumbers': 'Disabled',
    'Security.1.PasswordRequireRegex': '[a-z]{3}',
    'Security.1.PasswordRequireSymbols': 'Enabled',
    'Security.1.PasswordRequireUpperCase': 'Enabled',
    'Security.1.PasswordMinimumLength': 8,
    'Security.1.MinimumPasswordScore': 'Weak Protection',
    'Security.1.CsrKeySize': '2048',
    'SecureDefaultPassword.1.ForceChangePassword': 'False',
    'DefaultCredentialMitigationConfigGroup.1.DefaultCredentialMitigation': 'Disabled',
    'NTPConfigGroup.1.NTP1SecurityKeyNumber': 1,
    'NTPConfigGroup.1.NTP1SecurityType': 'Disabled',
    'SerialRedirection.1.QuitKey': '^\\',
    'IPMISerial.1.BaudRate': '57600',
    'SSHCrypto.1.HostKeyAlgorithms': 'ssh-rsa,rsa-sha2-512,ssh-ed25519',
    'SSHCrypto.1.Ciphers': 'chacha20-poly1305@openssh.com,aes128-ctr',
    'Users.2.AuthenticationProtocol': 'SHA',
    'Users.2.PrivacyProtocol': 'AES',
    'Users.2.IpmiLanPrivilege': 'Administrator',
    'Users.2.UseEmail': 'Disabled',
    'LDAP.1.UserAttribute': 'uid',
    'LDAP.1.GroupAttributeIsDN': 'Enabled',
    'SNMP.1.TrapFormat': 'SNMPv1',
    'SNMP.1.AgentEnable': 'Enabled',
    'WebServer.1.CustomCipherString': 'ALL:!DES',
    'Info.1.Name': 'iDRAC',
    'Info.1.Version': '5.10.00.00',
    'Info.1.Product': 'Integrated Dell Remote Access Controller',
    'NIC.1.DNSDomainFromDHCP': 'Disabled',
    'NIC.1.SwitchPortConnection': 'Ethernet1/23',
    'IPv4.1.Netmask': '255.255.255.0',
    'IPv4.1.DNS1': '0.0.0.0',
    'CurrentIPv6.1.Address7': '::',
    'ServerTopology.1.RackSlot': 12,
    'InventoryHash.1.HashCalculationInterval': 15,
    PasswordStatus: 'Unlocked',
    SystemID: 2055,
    TpmSecurity: 'OnPbm',
    SerialComm: 'OnNoConRedir',
    SerialPortAddress: 'Serial1Com1Serial2Com2',
    SubjectCountryCode: 'US'
  },
  HPE: {
    SKU: '868703-B21',
    RequiredLoginForiLORBSU: 'Disabled',
    MinPasswordLength: 8,
    PasswordComplexity: true,
    AuthFailureLoggingThreshold: 3,
    SerialCLIStatus: 'EnabledAuthReq',
    EmbeddedSerialPort: 'Com1Irq4',
    LocationFormat: 'ControllerPort:Box:Bay',
    Location: '1I:1:4',
    SNMPv3EngineIDSupported: 'Yes',
    License: 'iLO Advanced',
    HostOS: 'Linux'
  },
  Lenovo: {
    PasswordLength: 10,
    ComplexPassword: 'True',
    PasswordChangeOnFirstAccess: true,
    IsUefiAdminPasswordSet: 'No',
    EncryptionKeySet: false,
    PasswordReuseCycle: 5,
    SKU: '7X06CTO1WW',
    Capacity: 'large',
    Velocity: 'low'
  },
  Supermicro: {
    TokenExpiration: 30,
    HotKeySupport: 'Enabled',
    QuietBoot: 'Enabled',
    SecureBootKeyMode: 'Custom',
    KeyUsage: 'DigitalSignature'
  },
  OpenBMC: {
    CredentialBootstrapEnabled: true,
    PasswordExpirationDays: 90,
    KeyBitLength: 4096,
    SignatureAlgorithm: 'RSA'
  },
  Huawei: {
    LongPasswordEnabled: 'True',
    RWCommunityEnabled: true,
    SnmpV3AuthProtocol: 'SHA256',
    SnmpV3PrivProtocol: 'AES',
    PasswordRulePolicy: 'Complex',
    UserNamePasswordPrefixCompareLength: 3
  },
  others: {
    PasswordChangeRequired: false,
    HideCommunityStrings: true,
    CommunityAccessMode: 'Limited',
    PartNumber: '0H28RRA05',
    Model: 'PowerEdge R640',
    Vendor: 'Contoso',
    FirmwareVersion: '10.20.30.40',
    SerialNumber: 'Not Specified',
    UUID: '00000000-0000-0000-0000-000000000000',
    PartLocation: 'Slot 3',
    ServiceLabel: 'DIMM A1',
    TokenSigningAlgorithm: 'RS256',
    Domain: 'Power'
  }
}
