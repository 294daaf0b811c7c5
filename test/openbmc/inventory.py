"""The parts of a server with two sockets, as three daemons know them: configured, read from SMBIOS, and found."""

from daemon import Daemon
from interfaces import whole

INVENTORY = '/xyz/openbmc_project/inventory'
SYSTEM = f'{INVENTORY}/system'
CHASSIS = f'{SYSTEM}/chassis/Rack_Server'
BOARD = f'{SYSTEM}/board/Mainboard'
BMC = f'{INVENTORY}/bmc'
SMBIOS = f'{SYSTEM}/chassis/motherboard'
STORAGE = f'{SYSTEM}/storage/Storage_0'
CORES = 4
GENERATION = whole('Inventory.Item.PCIeSlot.Generations')


def asset(model, part, serial, **more):
    return {'Manufacturer': 'Example', 'Model': model, 'PartNumber': part, 'SerialNumber': serial, **more}


def part(kind, name, details=None, associations=(), location=None, **more):
    """The interfaces of a part of a kind."""
    return {
        'Inventory.Item': {'PrettyName': name},
        f'Inventory.Item.{kind}': details or {},
        'State.Decorator.OperationalStatus': {},
        **({'Association.Definitions': {'Associations': list(associations)}} if associations else {}),
        **({'Inventory.Decorator.LocationCode': {'LocationCode': location}} if location else {}),
        **more,
    }


def entity_manager():
    """Its objects have those properties only that their configuration has."""
    daemon = Daemon(whole('EntityManager'), managers=[INVENTORY])
    inside = [('contained_by', 'containing', CHASSIS)]
    for path, interfaces in {
        CHASSIS: {
            'Inventory.Item': {'PrettyName': 'Rack server'},
            'Inventory.Item.Chassis': {'Type': 'RackMount'},
            'Inventory.Decorator.Asset': asset('RS-2000', 'RS2000-01', 'RS00042'),
            'Inventory.Decorator.AssetTag': {'AssetTag': 'rack 7'},
            'Inventory.Decorator.LocationCode': {'LocationCode': 'U78DA.ND0.1'},
        },
        BOARD: {
            'Inventory.Item': {'PrettyName': 'Mainboard'},
            'Inventory.Item.Board': {},
            'Inventory.Decorator.Asset': asset('MB-2S', 'MB2S-03', 'MB00042'),
            'Inventory.Decorator.Revision': {'Version': 'C'},
            'Association.Definitions': {'Associations': inside},
        },
        BMC: {
            'Inventory.Item': {'PrettyName': 'Controller'},
            'Inventory.Item.Bmc': {},
            'Association.Definitions': {'Associations': inside},
        },
    }.items():
        daemon.add(path, interfaces, fills=False)
    return daemon


def smbios():
    """What the host's firmware reports."""
    daemon = Daemon(whole('Smbios.MDR_V2'), managers=[INVENTORY])
    for socket in (0, 1):
        cpu = f'{SMBIOS}/cpu{socket}'
        details = {
            'Socket': f'CPU{socket}', 'Family': 'Intel Xeon processor', 'EffectiveFamily': 6, 'EffectiveModel': 143,
            'Id': 0x806F8, 'MaxSpeedInMhz': 3800, 'CoreCount': CORES, 'ThreadCount': 2 * CORES, 'Step': 8,
            'Microcode': 0x2B000590, 'Characteristics': ['Capable64bit', 'MultiCore', 'HardwareThread'],
        }
        made = {'Inventory.Decorator.Asset': asset('XP-6430', 'XP6430', f'CPU0000{socket}')}
        links = [('chassis', 'processors', CHASSIS)]
        daemon.add(cpu, part('Cpu', f'CPU {socket}', details, links, f'CPU{socket}', **made))
        for core in range(CORES):
            daemon.add(f'{cpu}/core{core}', part('CpuCore', f'Core {core}', {'Microcode': '0x2b000590'}))
    for count, (bank, slot) in enumerate((bank, slot) for bank in 'ABCDEFGH' for slot in (0, 1)):
        details = {
            'MemoryDataWidth': 64, 'MemoryTotalWidth': 80, 'MemorySizeInKB': 32 * 2**20, 'MemoryType': 'DDR5',
            'MemoryDeviceLocator': f'DIMM_{bank}{slot}', 'MemoryTypeDetail': 'Synchronous', 'MemoryAttributes': 2,
            'MaxMemorySpeedInMhz': 4800, 'MemoryConfiguredSpeedInMhz': 4400, 'ECC': 'MultiBitECC',
            'FormFactor': 'RDIMM', 'AllowedSpeedsMT': [4400, 4800], 'MemoryMedia': 'DRAM',
        }
        where = {'Socket': count // 8, 'MemoryController': count % 8 // 2, 'Channel': count % 8, 'Slot': slot}
        more = {
            'Inventory.Item.Dimm.MemoryLocation': where,
            'Inventory.Decorator.Asset': asset('M32-4800', 'M324800R', f'DIMM{count:05}'),
        }
        links = [('chassis', 'memories', CHASSIS)]
        daemon.add(f'{SMBIOS}/dimm{count}', part('Dimm', f'DIMM {bank}{slot}', details, links, f'{bank}{slot}', **more))
    return daemon


def found():
    """What other daemons found, and put into the inventory manager."""
    daemon = Daemon(whole('Inventory.Manager'), managers=[INVENTORY])
    daemon.add(SYSTEM, {
        'Inventory.Item.System': {},
        'Inventory.Item': {'PrettyName': 'Server'},
        'Inventory.Decorator.Asset': asset('RS-2000', 'RS2000-01', 'RS00042'),
        'Inventory.Decorator.AssetTag': {},
        'Common.UUID': {'UUID': '0b8c9f6e-6f1d-4c5b-9a55-1d2f7f0c6e21'},
    })
    pluggable = {'Inventory.Decorator.Replaceable': {'FieldReplaceable': True, 'HotPluggable': True}}
    for count in (0, 1):
        links = [('powering', 'powered_by', CHASSIS)]
        made = asset('PS-1600', 'PS1600', f'PSU0000{count}', SparePartNumber='PS1600-S', BuildDate='2026-03-14 - 08:00:00')
        more = {'Inventory.Decorator.Asset': made, 'State.Decorator.Availability': {}, **pluggable}
        daemon.add(f'{SMBIOS}/powersupply{count}', part('PowerSupply', f'PSU {count}', {}, links, f'E{count}', **more))
    for count in range(8):
        links = [('cooling', 'cooled_by', CHASSIS)]
        details = {'MaxRatedRPM': 16_000}
        more = {'Inventory.Decorator.Asset': asset('FN-60', 'FN60', f'FAN0000{count}'), **pluggable}
        daemon.add(f'{SMBIOS}/fan{count}', part('Fan', f'Fan {count}', details, links, f'A{count}', **more))
    daemon.add(STORAGE, part('Storage', 'Storage', {}, [('chassis', 'storage', CHASSIS)]))
    made = {'Inventory.Decorator.Asset': asset('SC-16', 'SC16', 'SC000042')}
    daemon.add(f'{STORAGE}/controller0', part('StorageController', 'Controller of the drives', **made))
    for count in range(4):
        details = {
            'Capacity': 3_840_755_982_336, 'Protocol': 'NVMe', 'Type': 'SSD', 'EncryptionStatus': 'Unencrypted',
            'LockedStatus': 'Unlocked', 'PredictedMediaLifeLeftPercent': 97,
        }
        links = [('chassis', 'drive', CHASSIS), ('storage', 'drive', STORAGE)]
        more = {'Inventory.Decorator.Asset': asset('NV-3840', 'NV3840', f'DRV0000{count}'), **pluggable}
        daemon.add(f'{STORAGE}/drive{count}', part('Drive', f'Drive {count}', details, links, f'P{count}', **more))
    for count, (name, device) in enumerate([('Network adapter', '0x1593'), ('Storage controller', '0x00a5')]):
        slot = f'{SMBIOS}/pcieslot{count}'
        details = {'Generation': 'Gen5', 'Lanes': 16, 'SlotType': 'FullLength'}
        links = [('contained_by', 'containing', CHASSIS)]
        number = {'Inventory.Decorator.Slot': {'SlotNumber': count}}
        daemon.add(slot, part('PCIeSlot', f'Slot {count}', details, links, f'C{count}', **number))
        details = {
            'DeviceType': 'SingleFunction', 'GenerationInUse': f'{GENERATION}.Gen4', 'MaxLanes': 16, 'LanesInUse': 8,
            'GenerationSupported': f'{GENERATION}.Gen5', 'Function0ClassCode': '0x020000', 'Function0DeviceId': device,
            'Function0DeviceClass': 'NetworkController' if count == 0 else 'MassStorageController',
            'Function0FunctionType': 'Physical', 'Function0RevisionId': '0x01', 'Function0VendorId': '0x8086',
            'Function0SubsystemId': '0x0001', 'Function0SubsystemVendorId': '0x8086',
        }
        links = [('chassis', 'pcie_devices', CHASSIS), ('upstream_pcie_slot', 'associated_pcie_device', slot)]
        made = {'Inventory.Decorator.Asset': asset(name, f'PC{count}', f'PCI0000{count}')}
        daemon.add(f'{slot}/card{count}', part('PCIeDevice', name, details, links, f'C{count}-T1', **made))
    details = {'Length': 0.75, 'CableTypeDescription': 'Copper'}
    links = [
        ('upstream_connector', 'attached_cables', f'{SMBIOS}/pcieslot1/card1'),
        ('downstream_chassis', 'attached_cables', CHASSIS),
    ]
    made = {'Inventory.Decorator.Asset': asset('CB-75', 'CB75', 'CAB00001')}
    daemon.add(f'{SYSTEM}/cable0', part('Cable', 'Cable to the drives', details, links, 'K0', **made))
    return daemon


def item_of(sensor):
    """The part that a sensor belongs to."""
    name = sensor.rpartition('/')[2]
    number = ''.join(filter(str.isdigit, name))
    if name.startswith('DIMM_'):
        return f'{SMBIOS}/dimm{2 * "ABCDEFGH".index(name[5]) + int(name[6])}'
    for prefix, path in {
        'CPU': f'{SMBIOS}/cpu', 'Fan': f'{SMBIOS}/fan', 'NVMe': f'{STORAGE}/drive', 'PSU': f'{SMBIOS}/powersupply',
    }.items():
        if name.startswith(prefix) and number:
            return path + number
    return BOARD
