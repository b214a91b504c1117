"""DOUBLE of the few functions of Windows' user32 that show the windows of a process, and of the modal loop of Slate.

A modal window takes input while the others do not; posted keys and clicks close it. Windows' own message boxes have
their text and buttons as child windows, Slate's have none.
"""
import ctypes
import os

MAIN, DIALOG = 100, 200
STATE = {'dialog': None, 'closed_by': []}
KEYS = {0x0D: 'confirm', 0x1B: 'cancel'}


def parts():
    """Child windows: handle -> (class, text)."""
    dialog = STATE['dialog']
    if dialog is None or not dialog.get('buttons'):
        return {}
    texts = {DIALOG + 1: ('Static', dialog.get('text', ''))}
    texts.update((DIALOG + 2 + at, ('Button', text)) for at, text in enumerate(dialog['buttons']))
    return texts


def windows():
    return [MAIN] if STATE['dialog'] is None else [DIALOG, MAIN]


class User32:
    @staticmethod
    def FindWindowExW(parent, after, _kind, _title):
        listed = windows() if parent is None else list(parts()) if parent == DIALOG else []
        if after is None:
            return listed[0] if listed else 0
        rest = listed[listed.index(after) + 1:] if after in listed else []
        return rest[0] if rest else 0

    @staticmethod
    def GetWindowThreadProcessId(_handle, owner):
        owner._obj.value = os.getpid()
        return 1

    @staticmethod
    def IsWindowVisible(_handle):
        return 1

    @staticmethod
    def IsWindowEnabled(handle):
        return 0 if handle == MAIN and STATE['dialog'] is not None else 1

    @staticmethod
    def GetWindowTextW(handle, into, _length):
        dialog = STATE['dialog'] or {}
        into.value = dialog.get('title', '') if handle == DIALOG else 'Double - Unreal Editor' if handle == MAIN else parts()[handle][1]
        return len(into.value)

    @staticmethod
    def GetClassNameW(handle, into, _length):
        into.value = parts().get(handle, ('UnrealWindow', ''))[0]
        return len(into.value)

    @staticmethod
    def PostMessageW(handle, message, key, _more):
        if handle == DIALOG and message == 0x0100:
            close(KEYS.get(key))
        elif message == 0x00F5 and handle in parts():
            close(parts()[handle][1])
        return 1


def close(by):
    if STATE['dialog'] is not None:
        STATE['closed_by'].append(by)
        STATE['dialog'] = None


def install():
    ctypes.windll = type('WinDLL', (), {'user32': User32})
