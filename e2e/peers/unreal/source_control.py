"""DOUBLE of `unreal.SourceControl`: one provider, whose files a test puts into a state. As documented: calls block, and
a failure sets the last error."""
import level
import listing
from objects import Object, Text

STATE = {'provider': None, 'available': True, 'files': {}, 'error': '', 'asked': [], 'submitted': []}
# What Epic documents of each field; an unknown file is not in the depot.
UNCONTROLLED = {'is_valid': True, 'is_current': True, 'can_edit': True, 'can_add': True}


def name_of(file):
    return str(file).split('.')[0].lower()


def put(path, **fields):
    STATE['files'][name_of(path)] = dict({'is_valid': True, 'is_source_controlled': True, 'is_current': True,
                                          'can_check_out': True}, **fields)


class SourceControl(Object):
    @classmethod
    def is_enabled(cls):
        return STATE['provider'] is not None

    @classmethod
    def is_available(cls):
        return STATE['provider'] is not None and STATE['available']

    @classmethod
    def current_provider(cls):
        return STATE['provider'] or 'None'

    @classmethod
    def last_error_msg(cls):
        return Text(STATE['error'])

    @classmethod
    def query_file_state(cls, file, silent=False):
        STATE['asked'].append(name_of(file))
        made = listing.named('SourceControlState')()
        for field, value in dict(UNCONTROLLED, **STATE['files'].get(name_of(file), {})).items():
            made._values[field] = value
        return made

    @classmethod
    def check_out_file(cls, file, silent=False):
        known = STATE['files'].get(name_of(file))
        if known is None or known.get('is_checked_out_other') or known.get('refuses'):
            STATE['error'] = 'can\'t edit exclusive file already opened'
            return False
        known.update(is_checked_out=True, can_check_out=False, can_edit=True)
        return True

    @classmethod
    def check_out_or_add_file(cls, file, silent=False):
        if name_of(file) in STATE['files']:
            return cls.check_out_file(file, silent)
        put(file, is_added=True, can_check_out=False)
        return True

    @classmethod
    def check_in_files(cls, files, description, silent=False, keep_checked_out=False):
        names = [name_of(file) for file in files]
        ours = [STATE['files'].get(name, {}) for name in names]
        if not all(known.get('is_checked_out') or known.get('is_added') for known in ours):
            STATE['error'] = 'file(s) not opened on this client'
            return False
        for known in ours:
            known.update(is_checked_out=keep_checked_out, is_added=False, can_check_out=not keep_checked_out)
        STATE['submitted'].append({'files': names, 'description': str(description), 'by': level.WORLD.get('user', 'double')})
        return True
