"""DOUBLE of scene captures: what a camera of the level shows is a PNG that differs with the camera and with the instances.

As Epic documents them: an actor that is spawned is selected; an 8-bit target is exported as PNG, others as HDR."""
import os
import struct
import zlib
import level
import listing
from objects import Array, Object

SceneCaptureSource = listing.named('SceneCaptureSource')
TextureRenderTargetFormat = listing.named('TextureRenderTargetFormat')
STATE = {'targets': 0, 'huge': False}
EIGHT_BIT = (TextureRenderTargetFormat.RTF_RGBA8, TextureRenderTargetFormat.RTF_RGBA8_SRGB)


class TextureRenderTarget2D(Object):
    _props = {'size_x': ('int32', True, 0), 'size_y': ('int32', True, 0),
              'render_target_format': (TextureRenderTargetFormat, True, TextureRenderTargetFormat.RTF_RGBA16F)}
    _shows = None


class SceneCaptureComponent2D(level.ActorComponent):
    _props = {'capture_every_frame': ('bool', True, True), 'capture_on_movement': ('bool', True, True),
              'capture_source': (SceneCaptureSource, True, SceneCaptureSource.SCS_SCENE_COLOR_HDR),
              'fov_angle': ('float', True, 90.0), 'texture_target': (TextureRenderTarget2D, True, None)}

    def capture_scene(self):
        target, actor = self._values['texture_target'], self._owner
        if target is None or actor not in level.WORLD['actors']:
            return
        meshes = [one for other in level.WORLD['actors'] for one in other._components
                  if isinstance(one, level.InstancedStaticMeshComponent)]
        at, turn = actor.get_actor_location(), actor.get_actor_rotation()
        target._shows = (sum(mesh._count for mesh in meshes), repr((at.x, at.y, at.z, turn.pitch, turn.yaw, turn.roll)))


class SceneCapture2D(level.Actor):
    _props = {'capture_component2d': (SceneCaptureComponent2D, False, None)}

    def _init(self):
        level.Actor._init(self)
        self._values['capture_component2d'] = self._add(SceneCaptureComponent2D, 'NewSceneCaptureComponent2D')


def png(width, height, shows):
    """A row of blocks, one for each instance, on a ground whose colour is the camera. Its alpha is 0, as captures have it."""
    count, camera = shows or (0, '')
    ground, white = bytes([40 + zlib.crc32(camera.encode()) % 150, 120, 90, 0]), b'\xff\xff\xff\0'
    across, rows = width // 8, b''
    for down in range((height + 7) // 8):
        full = min(max(count - down * across, 0), across)
        row = b'\0' + (ground + white * 7) * full + ground * (width - full * 8)
        rows += row * min(8, height - down * 8)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    head = struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


class RenderingLibrary(Object):
    @classmethod
    def create_render_target2d(cls, world_context_object, width=256, height=256, format=TextureRenderTargetFormat.RTF_RGBA16F):
        if not isinstance(world_context_object, level.World):
            return None
        made = TextureRenderTarget2D._new('/Engine/Transient.TextureRenderTarget2D')
        made._values.update(size_x=width, size_y=height, render_target_format=format)
        STATE['targets'] += 1
        return made

    @classmethod
    def release_render_target2d(cls, texture_render_target):
        STATE['targets'] -= 1

    @classmethod
    def export_render_target(cls, world_context_object, texture_render_target, file_path, file_name):
        shown = texture_render_target._values
        data = png(shown['size_x'], shown['size_y'], texture_render_target._shows)
        if shown['render_target_format'] not in EIGHT_BIT:
            data = b'#?RADIANCE\n'
        if STATE['huge']:
            data += bytes(2 ** 22)
        with open(os.path.join(file_path, file_name), 'wb') as out:
            out.write(data)


class Package(Object):
    pass


class EditorLoadingAndSavingUtils(Object):
    @classmethod
    def get_dirty_map_packages(cls):
        return Array([Package._new(path) for path in level.WORLD['changed']])

    @classmethod
    def get_dirty_content_packages(cls):
        return Array([])
