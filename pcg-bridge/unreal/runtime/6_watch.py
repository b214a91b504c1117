"""What the editor does while its game thread does not answer: a thread of its own writes it to a file. Part 6."""

# Slate ticks in every frame, and also while a modal window or a progress window runs its own loop; frames do not.
WATCH = {'slate': 0.0, 'framed': 0.0, 'frame': -1, 'op': None, 'playing': False, 'asked': 0.0, 'folder': None, 'thread': None}
EVERY_S = 0.25
KEY_DOWN, KEY_UP, CLICK = 0x0100, 0x0101, 0x00F5  # WM_KEYDOWN, WM_KEYUP, BM_CLICK
KEYS = {'confirm': 0x0D, 'cancel': 0x1B}


def on_tick(_delta):
    """On the game thread."""
    now = time.monotonic()
    WATCH['slate'] = now
    frame = unreal.SystemLibrary.get_frame_count()
    if frame == WATCH['frame']:
        return
    WATCH['frame'], WATCH['framed'] = frame, now
    if now - WATCH['asked'] > 0.5:
        WATCH['asked'], WATCH['playing'] = now, playing()
    if TURN['id'] is not None and (WATCH['playing'] or now - TURN['at'] > TURN['idle']):
        end_turn()


def user32():
    """Windows shows which windows a process has, and which of them take no input; other systems do not."""
    return getattr(getattr(ctypes, 'windll', None), 'user32', None)


def window_text(windows, handle):
    text = ctypes.create_unicode_buffer(512)
    windows.GetWindowTextW(handle, text, 512)
    return text.value


def window_class(windows, handle):
    text = ctypes.create_unicode_buffer(128)
    windows.GetClassNameW(handle, text, 128)
    return text.value


def children(windows, parent):
    found, handle = [], windows.FindWindowExW(parent, None, None, None)
    while handle and len(found) < 500:
        found.append(handle)
        handle = windows.FindWindowExW(parent, handle, None, None)
    return found


def own_windows(windows):
    owner = ctypes.c_ulong()
    for handle in children(windows, None):
        windows.GetWindowThreadProcessId(handle, ctypes.byref(owner))
        if owner.value == os.getpid() and windows.IsWindowVisible(handle):
            yield handle


def modal():
    """A modal window is the one that takes input while another of the process does not."""
    windows = user32()
    if windows is None:
        return None
    own = [(handle, bool(windows.IsWindowEnabled(handle))) for handle in own_windows(windows)]
    open_ones = [handle for handle, enabled in own if enabled and window_text(windows, handle)]
    if not open_ones or all(enabled for _handle, enabled in own):
        return None
    handle = open_ones[0]
    shown = {'id': str(handle), 'title': window_text(windows, handle), 'text': None,
             'answers': [{'id': 'confirm', 'label': 'Enter'}, {'id': 'cancel', 'label': 'Escape'}]}
    parts = [(part, window_class(windows, part)) for part in children(windows, handle)]
    buttons = [part for part, kind in parts if kind == 'Button']
    if buttons:  # a message box of Windows itself
        texts = [window_text(windows, part) for part, kind in parts if kind == 'Static']
        shown['text'] = '\n'.join(text for text in texts if text) or None
        shown['answers'] = [{'id': str(part), 'label': window_text(windows, part).replace('&', '')} for part in buttons]
    return shown


def answer_modal(asked):
    windows, shown = user32(), modal()
    if shown is None or shown['id'] != asked.get('id') or asked.get('answer') not in [one['id'] for one in shown['answers']]:
        return
    if asked['answer'] in KEYS:
        for message in (KEY_DOWN, KEY_UP):
            windows.PostMessageW(int(shown['id']), message, KEYS[asked['answer']], 0)
    else:
        windows.PostMessageW(int(asked['answer']), CLICK, 0, 0)


def take_answer():
    """The name of the file is a secret of the bridge that has proven itself."""
    for session in list(SESSIONS):
        file = os.path.join(WATCH['folder'], 'answer-%s.json' % session)
        if os.path.exists(file):
            with open(file, encoding='utf-8') as opened:
                asked = json.load(opened)
            os.remove(file)
            answer_modal(asked)


def look():
    now = time.monotonic()
    nested = WATCH['slate'] - WATCH['framed']
    stuck = now - WATCH['framed'] > 0.75
    return {
        'pid': os.getpid(), 'at': time.time(), 'op': WATCH['op'], 'playing': WATCH['playing'],
        'blocked_ms': int((now - WATCH['framed']) * 1000) if stuck else 0,
        'nested': stuck and nested > 0.5 and now - WATCH['slate'] < 0.75,
        'dialog': modal() if stuck else None, 'sees_windows': user32() is not None,
    }


def watch():
    """It calls nothing of the engine: only the game thread may."""
    file = os.path.join(WATCH['folder'], 'state-%d.json' % os.getpid())
    while WATCH['thread'] is threading.current_thread():
        try:
            take_answer()
            with open(file + '.part', 'w', encoding='utf-8') as out:
                json.dump(look(), out)
            os.replace(file + '.part', file)
        except Exception:  # a full disk or a removed folder: the next round tries again
            pass
        time.sleep(EVERY_S)


def start_watch(folder):
    """Once for all bridges; that of an earlier version of the program ends."""
    if WATCH['thread'] is not None:
        return
    for other in threading.enumerate():
        if other.name == 'gantry-watch':
            other.stop()
    WATCH['folder'], WATCH['slate'], WATCH['framed'] = folder, time.monotonic(), time.monotonic()
    handle = unreal.register_slate_post_tick_callback(on_tick)

    def stop():
        WATCH['thread'] = None
        unreal.unregister_slate_post_tick_callback(handle)
        end_turn()

    thread = threading.Thread(target=watch, name='gantry-watch', daemon=True)
    thread.stop, WATCH['thread'] = stop, thread
    thread.start()
