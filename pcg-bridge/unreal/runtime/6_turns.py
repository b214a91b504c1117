"""Turns: the edits of one author are one transaction of the editor, and a file is checked out before it changes. Part 6."""

TURN = {'id': None, 'at': 0.0, 'idle': 20.0}
CHECKED = {}  # asset -> when source control was last asked
ASK_AGAIN_S = 30.0  # asking a server stops the game thread


def end_turn():
    if TURN['id'] is None:
        return False
    TURN['id'] = None
    unreal.SystemLibrary.end_transaction()
    return True


def enter_turn(turn):
    """While it is open the transactions of single edits are parts of it; a person cannot undo until it ends."""
    if turn is None or turn['id'] != TURN['id']:
        end_turn()
        if turn is None:
            return
        unreal.SystemLibrary.begin_transaction('Gantry', 'Gantry: ' + turn['title'], None)
        TURN['id'], TURN['idle'] = turn['id'], float(turn['idle'])
    TURN['at'] = time.monotonic()


def finish_turn(_args):
    return {'ended': end_turn()}


def controlled():
    found = getattr(unreal, 'SourceControl', None)
    return found if found is not None and found.is_enabled() else None


def locked(message, *values):
    return Refusal('EDITOR_BUSY', message % values)


def check_out(path):
    """Refuses what another has checked out or what is not the newest revision; else the file is ours before it changes."""
    path, control = path.split('.')[0], controlled()
    if control is None or not ASSETS.does_asset_exist(path):
        return
    if time.monotonic() - CHECKED.get(path, -ASK_AGAIN_S) < ASK_AGAIN_S:
        return
    provider = control.current_provider()
    if not control.is_available():
        raise locked('%s does not answer, so %s cannot be checked out: connect it in the editor, or switch source '
                     'control off', provider, path)
    state = control.query_file_state(path, True)
    shows = state.get_editor_property
    if not shows('is_valid'):
        raise locked('%s does not show the state of %s: %s', provider, path, control.last_error_msg())
    if shows('is_checked_out_other'):
        raise locked('%s is checked out by %s in %s', path, shows('checked_out_other') or 'another user', provider)
    if shows('is_conflicted'):
        raise locked('%s has a conflict in %s: resolve it first', path, provider)
    if shows('is_source_controlled') and not (shows('is_checked_out') or shows('is_added')):
        if not shows('is_current'):
            raise locked('%s has a newer revision in %s: sync it first', path, provider)
        if not control.check_out_file(path, True):
            raise locked('%s could not be checked out from %s: %s', path, provider, control.last_error_msg())
    CHECKED[path] = time.monotonic()


def mark_added(path):
    """A new asset is marked for add. A failure harms nothing: the file is there, and the person can add it."""
    control = controlled()
    if control is not None and control.is_available():
        control.check_out_or_add_file(path.split('.')[0], True)


def read_changes(args):
    """Of these assets what source control holds as ours, for a change list."""
    control = controlled()
    if control is None or not control.is_available():
        return {'provider': None if control is None else control.current_provider(), 'files': []}
    files = []
    for path in args['assets']:
        shows = control.query_file_state(path, True).get_editor_property
        if shows('is_valid') and (shows('is_checked_out') or shows('is_added')):
            files.append(path)
    return {'provider': control.current_provider(), 'files': files}


def submit_changes(args):
    """By a person's word only: the change list has the name of the turn."""
    control = controlled()
    if control is None or not control.is_available():
        raise Refusal('INVALID_ARGUMENT', 'Source control is off in this editor, or it does not answer')
    end_turn()
    if not control.check_in_files(args['files'], args['description'], True):
        raise Refusal('EDITOR_ERROR', '%s did not check the files in: %s' % (
            control.current_provider(), control.last_error_msg()))
    for path in args['files']:
        CHECKED.pop(path, None)
    return {'submitted': len(args['files'])}
