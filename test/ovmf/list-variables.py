"""For each file named on standard input: a line of JSON with what virt-firmware reads in its variable store."""
import json
import sys

from virt.firmware.varstore import edk2


def variables(path):
    for variable in edk2.Edk2VarStore(path).get_varlist().values():
        yield {
            'name': str(variable.name),
            'guid': str(variable.guid),
            'attributes': variable.attr,
            'time': variable.time.strftime('%Y-%m-%dT%H:%M:%S.000Z') if variable.time else '-',
            'data': bytes(variable.data).hex(),
        }


for line in sys.stdin:
    print(json.dumps(list(variables(line.rstrip('\n')))))
