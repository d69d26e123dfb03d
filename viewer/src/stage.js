// The picture: points as little balls, curves as ribbons that look round, triangles lit from the side of the eye,
// colliders like glass. Arrays are copied into buffers that stay as long as they are large enough.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, GLSL3, GridHelper, Mesh, PerspectiveCamera, Points, Scene, ShaderMaterial, Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import { STOPS, rampNumbers } from "./colour.js";

// A software renderer shows at most so many points and vertices of curves while something moves.
const MOVING_POINTS = 25000;
const MOVING_VERTICES = 12500;
const COARSE = 0.6; // and so many of its pixels along each side
const MOTION = 700; // milliseconds: two changes closer than that are motion; slow machines get more
const THREADS = 20; // of cloth, per centimetre
const PICK = 6; // pixels within which a point is taken for the one pointed at
const REST = 350; // without a change until everything is shown again

const plainColours = { liquid: [0.33, 0.66, 0.88], surface: [0.2, 0.5, 0.72], particles: [0.93, 0.66, 0.4], strands: [0.75, 0.56, 0.38], yarn: [0.78, 0.62, 0.46], cloth: [0.83, 0.8, 0.74] };

// How a part is drawn where no field colours it: thick liquids look like what they are.
export function tint(name, colour) {
  plainColours[name] = colour;
}
const plain = (name) => plainColours[name] ?? [0.68, 0.72, 0.78];

const shade = `
  const vec3 light = vec3(-0.34, 0.83, 0.44); // where it comes from, seen from the eye
  uniform vec3 ramp[${STOPS}];
  uniform vec3 plain;
  uniform vec2 range; // lowest, 1 / (highest - lowest)
  uniform bool coloured;
  vec3 colour_of(float value) {
    if (!coloured) return plain;
    float at = clamp((value - range.x) * range.y, 0.0, 1.0) * ${STOPS - 1}.0;
    int stop = min(int(at), ${STOPS - 2});
    return mix(ramp[stop], ramp[stop + 1], at - float(stop));
  }`;

const pointVertex = `
  in float value;
  uniform float radius, scale; // scale: pixels per unit of length at distance one
  out vec3 colour;
  ${shade}
  void main() {
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * eye;
    gl_PointSize = clamp(2.0 * radius * scale / -eye.z, 1.5, 96.0);
    colour = colour_of(value);
  }`;
const pointFragment = `
  precision mediump float;
  in vec3 colour;
  out vec4 pixel;
  void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    float away = dot(at, at);
    if (away > 1.0) discard;
    float light = 0.42 + 0.58 * max(0.0, 0.75 * sqrt(1.0 - away) - 0.45 * at.y - 0.25 * at.x);
    pixel = vec4(colour * light, 1.0);
  }`;

// A ribbon along the curve, turned to the eye and never thinner than a pixel: every point of the curve twice, once per
// side. Not instanced: software renderers draw instances one by one.
//
// Lit as hair after Kajiya and Kay 1989: bright where the light comes across the hair, with a highlight where the eye
// lies on the cone that it is mirrored into; per vertex, which is enough for what is a pixel wide.
const curveVertex = `
  in vec3 along;
  in float radius, value;
  uniform float scale;
  out vec3 colour;
  out float across;
  ${shade}
  void main() {
    vec3 eye = (modelViewMatrix * vec4(position, 1.0)).xyz;
    vec3 ahead = (modelViewMatrix * vec4(along, 0.0)).xyz;
    vec3 side = cross(ahead, eye);
    across = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    side *= max(radius, 0.55 * -eye.z / scale) / max(length(side), 1e-20);
    gl_Position = projectionMatrix * vec4(eye + across * side, 1.0);
    vec3 tangent = ahead / max(length(ahead), 1e-20);
    float lit = dot(tangent, light), seen = -dot(tangent, normalize(eye));
    float across_light = sqrt(max(0.0, 1.0 - lit * lit)), across_eye = sqrt(max(0.0, 1.0 - seen * seen));
    float shine = max(0.0, across_light * across_eye - lit * seen);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine; // to the 16th
    colour = colour_of(value) * (0.3 + 0.75 * across_light) + 0.35 * shine;
  }`;
const curveFragment = `
  precision mediump float;
  in vec3 colour;
  in float across;
  out vec4 pixel;
  void main() {
    pixel = vec4(colour * (0.55 + 0.45 * sqrt(max(0.0, 1.0 - 0.8 * across * across))), 1.0);
  }`;

const meshVertex = `
  in float value;
  in vec3 normal_of;
  in vec2 thread;
  out vec3 colour, eye, smooth_normal;
  out vec2 threads;
  ${shade}
  void main() {
    vec4 place = modelViewMatrix * vec4(position, 1.0);
    eye = place.xyz;
    smooth_normal = (modelViewMatrix * vec4(normal_of, 0.0)).xyz;
    colour = colour_of(value);
    threads = thread * ${THREADS}.0;
    gl_Position = projectionMatrix * place;
  }`;
const meshFragment = `
  precision highp float;
  uniform bool glass, wet, woven;
  in vec3 colour, eye, smooth_normal;
  in vec2 threads;
  out vec4 pixel;
  ${shade}
  // Liquid: its own colour, the sky that it mirrors (Schlick's share), and the lamp in it.
  vec3 wet_colour() {
    vec3 back = normalize(eye), normal = normalize(smooth_normal);
    if (dot(normal, back) > 0.0) normal = -normal;
    float rest = 1.0 - max(0.0, -dot(normal, back)), share = 0.02 + 0.98 * rest * rest * rest * rest * rest;
    vec3 mirrored = reflect(back, normal);
    vec3 sky = mix(vec3(0.36, 0.42, 0.5), vec3(0.85, 0.92, 1.0), smoothstep(-0.3, 0.9, mirrored.y));
    float body = 0.45 + 0.4 * max(0.0, dot(normal, light)) + 0.15 * normal.y;
    return mix(colour * body, sky, share) + 0.9 * pow(max(0.0, dot(mirrored, light)), 90.0);
  }
  // Cloth: smooth, the same from both sides, with the shadows between threads of a plain weave once they are pixels wide.
  vec3 cloth_colour() {
    vec3 back = normalize(eye), normal = normalize(smooth_normal);
    if (dot(normal, back) > 0.0) normal = -normal;
    vec2 within = 2.0 * fract(threads) - 1.0, square = floor(threads), wide = fwidth(threads);
    bool warp = mod(square.x + square.y, 2.0) < 0.5;
    float across = warp ? within.y : within.x, along = warp ? within.x : within.y;
    float groove = 1.0 - 0.5 * (pow(across, 4.0) + pow(along, 4.0) - 0.4);
    float seen = 1.0 - smoothstep(0.25, 0.7, max(wide.x, wide.y));
    float lit = dot(normal, light), rest = 1.0 - abs(dot(normal, back));
    float body = 0.38 + 0.55 * max(0.0, lit) + 0.16 * max(0.0, -lit) + 0.1 * rest * rest * rest;
    return colour * body * mix(1.0, groove, seen);
  }
  void main() {
    if (wet || woven) {
      pixel = vec4(wet ? wet_colour() : cloth_colour(), 1.0);
      return;
    }
    vec3 normal = normalize(cross(dFdx(eye), dFdy(eye)));
    float facing = abs(dot(normal, normalize(eye)));
    float light = 0.35 + 0.45 * facing + 0.2 * abs(dot(normal, normalize(vec3(0.4, 0.8, 0.4))));
    pixel = glass ? vec4(colour, mix(0.3, 0.07, facing)) : vec4(colour * light, 1.0);
  }`;

// ---- parts

function material(vertexShader, fragmentShader, extra) {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    uniforms: {
      ramp: { value: new Array(3 * STOPS).fill(0) },
      plain: { value: [1, 1, 1] },
      range: { value: [0, 1] },
      coloured: { value: false },
      ...extra,
    },
  });
}

/** An attribute that takes arrays of changing length; larger than what it can hold, it is made anew. */
function fill(geometry, name, data, size) {
  let attribute = geometry.getAttribute(name);
  if (!attribute || attribute.array.length < data.length || attribute.array.constructor !== data.constructor) {
    attribute = new BufferAttribute(new data.constructor(Math.ceil((data.length * 1.25) / size) * size), size);
    attribute.setUsage(DynamicDrawUsage);
    geometry.dispose();
    if (name === "index") geometry.setIndex(attribute);
    else geometry.setAttribute(name, attribute);
  }
  put(attribute, data);
}

function put(attribute, data) {
  attribute.array.set(data);
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, data.length);
  attribute.needsUpdate = true;
}

class PointsPart {
  constructor() {
    this.object = new Points(new BufferGeometry(), material(pointVertex, pointFragment, { radius: { value: 1 }, scale: { value: 1 } }));
  }

  /** coarse: one point of several stands for all of them, as large as they are together. */
  update(part, values, coarse) {
    const { geometry, material } = this.object;
    const step = coarse ? Math.ceil(part.points / MOVING_POINTS) : 1;
    fill(geometry, "position", every(step, part.arrays.position.data, 3), 3);
    fill(geometry, "value", every(step, values, 1), 1);
    geometry.setDrawRange(0, Math.ceil(part.points / step));
    material.uniforms.radius.value = (part.radius > 0 ? part.radius : 0.1) * Math.cbrt(step);
  }
}

/** Every n-th item of an array of vectors. */
function every(step, data, size) {
  if (step === 1) return data;
  const out = new Float32Array(Math.ceil(data.length / size / step) * size);
  for (let i = 0, o = 0; i < data.length; i += step * size) for (let a = 0; a < size; a++) out[o++] = data[i + a];
  return out;
}

class CurvesPart {
  constructor() {
    this.object = new Mesh(new BufferGeometry(), material(curveVertex, curveFragment, { scale: { value: 1 } }));
    this.object.material.side = DoubleSide;
  }

  /** coarse: vertices are left out, never the first and the last of a curve. */
  update(part, values, coarse) {
    const { geometry } = this.object;
    const index = part.arrays.index?.data ?? new Uint32Array(1);
    const step = coarse ? Math.ceil(part.points / MOVING_VERTICES) : 1;
    if (!same(index, this.index) || step !== this.step) this.thin(index, step);
    const place = part.arrays.position.data;
    fill(geometry, "position", twice(this.picked, place, 3), 3);
    fill(geometry, "along", twice(this.picked, tangents(place, index), 3), 3);
    fill(geometry, "radius", twice(this.picked, part.arrays.radius?.data ?? new Float32Array(part.points), 1), 1);
    fill(geometry, "value", twice(this.picked, values, 1), 1);
  }

  thin(index, step) {
    const picked = [], triangles = [];
    for (let s = 0; s + 1 < index.length; s++) {
      const last = index[s + 1] - 1;
      for (let v = index[s]; v <= last; v = v < last ? Math.min(v + step, last) : last + 1) {
        const at = 2 * picked.push(v) - 2;
        if (v > index[s]) triangles.push(at - 2, at - 1, at, at, at - 1, at + 1); // two between it and the one before
      }
    }
    this.picked = Uint32Array.from(picked);
    this.index = index;
    this.step = step;
    fill(this.object.geometry, "index", Uint32Array.from(triangles), 1);
    this.object.geometry.setDrawRange(0, triangles.length);
  }
}

function same(one, other) {
  return one.length === other?.length && one.every((value, i) => value === other[i]);
}

/** The picked items, each two times. */
function twice(picked, data, size) {
  const out = new Float32Array(2 * picked.length * size);
  for (let i = 0, o = 0; i < picked.length; i++, o += 2 * size) {
    for (let a = 0; a < size; a++) out[o + a] = out[o + size + a] = data[picked[i] * size + a];
  }
  return out;
}

/** From the point before to the point after, inside each curve. */
function tangents(place, first) {
  const out = new Float32Array(place.length);
  for (let s = 0; s + 1 < first.length; s++) {
    for (let v = first[s]; v < first[s + 1]; v++) {
      const before = 3 * Math.max(v - 1, first[s]), after = 3 * Math.min(v + 1, first[s + 1] - 1);
      for (let a = 0; a < 3; a++) out[3 * v + a] = place[after + a] - place[before + a];
    }
  }
  return out;
}

class TrianglesPart {
  constructor(name) {
    this.object = new Mesh(new BufferGeometry(), material(meshVertex, meshFragment, { glass: { value: false }, wet: { value: false }, woven: { value: false } }));
    const { material: surface } = this.object;
    surface.side = DoubleSide;
    surface.uniforms.wet.value = name === "surface";
    Object.assign(surface, { polygonOffset: name === "surface", polygonOffsetFactor: 1, polygonOffsetUnits: 2 }); // behind the wall that it lies on
    if (name !== "colliders") return;
    surface.uniforms.glass.value = true;
    surface.transparent = true;
    surface.depthWrite = false;
    this.object.renderOrder = 1;
  }

  update(part, values) {
    const { geometry } = this.object;
    const index = part.arrays.index?.data ?? new Uint32Array(0);
    fill(geometry, "position", part.arrays.position.data, 3);
    fill(geometry, "value", values, 1);
    if (part.arrays.normal) fill(geometry, "normal_of", part.arrays.normal.data, 3);
    if (part.arrays.coordinates) fill(geometry, "thread", part.arrays.coordinates.data, 2);
    this.object.material.uniforms.woven.value = part.arrays.coordinates !== undefined;
    fill(geometry, "index", index, 1);
    geometry.setDrawRange(0, index.length);
  }
}

const makers = { points: PointsPart, curves: CurvesPart, triangles: TrianglesPart };

// ---- the stage

/** A context without smooth edges, which are dear in software, and with them on a graphics card: there the canvas is replaced. */
function makeRenderer(canvas) {
  const context = canvas.getContext("webgl2", { alpha: true, antialias: false });
  if (!context) throw new Error("this browser shows no WebGL 2");
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const software = /swiftshader|llvmpipe|software/i.test(info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
  if (software) return { canvas, software, renderer: new WebGLRenderer({ canvas, context }) };
  const fresh = canvas.cloneNode();
  canvas.replaceWith(fresh);
  return { canvas: fresh, software, renderer: new WebGLRenderer({ canvas: fresh, alpha: true, antialias: true }) };
}

export class Stage {
  constructor(canvas, ranges) {
    Object.assign(this, makeRenderer(canvas), { ranges });
    this.renderer.setClearColor(0x000000, 0);
    this.scene = new Scene();
    this.scene.matrixWorldAutoUpdate = true;
    this.camera = new PerspectiveCamera(35, 1, 0.1, 1000);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.canvas.addEventListener("webglcontextrestored", () => this.touch());
    this.controls.addEventListener("start", () => (this.touched = true));
    this.controls.addEventListener("change", () => {
      this.move();
      this.touch();
    });
    this.parts = new Map(); // name -> part with object
    this.coarse = false;
    this.cost = 0; // milliseconds that the last picture took
    this.dirty = true;
    this.pictures = 0;
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
    this.resize();
    requestAnimationFrame(() => this.draw());
  }

  touch() {
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    const ratio = this.coarse ? COARSE : 1;
    this.renderer.setPixelRatio(this.software ? ratio : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  /** Shows a frame; look: Map of part to {visible, field}. */
  show(frame, look) {
    Object.assign(this, { frame, lookOf: look });
    if (!this.move()) this.fill();
  }

  /** Something changes. A software renderer shows less until it comes to rest. True where the frame was filled in anew. */
  move() {
    if (!this.software) return false;
    const now = performance.now();
    const before = this.coarse;
    this.coarse = now - (this.moved ?? -Infinity) < MOTION + 2 * this.cost;
    this.moved = now;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.coarse && this.settle(false), REST + this.cost);
    if (this.coarse === before) return false;
    this.settle(this.coarse);
    return true;
  }

  settle(coarse) {
    this.coarse = coarse;
    this.resize();
    if (this.frame) this.fill();
  }

  fill() {
    for (const part of this.frame.parts) {
      if (!part.arrays) continue;
      const known = this.parts.get(part.name) ?? this.add(part);
      const field = this.lookOf.get(part.name)?.field;
      const values = part.arrays[field]?.data;
      known.update(part, values ?? new Float32Array(part.points), this.coarse);
      known.field = values ? field : undefined;
    }
    for (const [name, known] of this.parts) known.there = this.frame.parts.some((part) => part.name === name && part.arrays);
    this.paint(this.lookOf);
  }

  /** Colours and visibility alone. */
  paint(look) {
    for (const [name, known] of this.parts) {
      const { uniforms } = known.object.material;
      known.object.visible = known.there && look.get(name)?.visible !== false;
      uniforms.plain.value = plain(name);
      uniforms.coloured.value = known.field !== undefined && this.ranges.tells(known.field);
      if (!uniforms.coloured.value) continue;
      const range = this.ranges.of(known.field);
      uniforms.ramp.value = rampNumbers(this.ranges.of(known.field).ramp ?? known.field);
      uniforms.range.value = [range.low, 1 / Math.max(range.high - range.low, 1e-30)];
    }
    this.touch();
  }

  add(part) {
    const made = new makers[part.kind](part.name);
    made.object.frustumCulled = false;
    made.object.matrixAutoUpdate = false;
    this.scene.add(made.object);
    this.parts.set(part.name, made);
    return made;
  }

  /** Takes note of a frame's place, and keeps everything in view until somebody moves the eye. */
  see(frame) {
    const box = boxOf(frame, (part) => part.name !== "colliders") ?? boxOf(frame, () => true);
    if (!box) return;
    const before = this.extent;
    this.extent = before ? join(before, box) : box;
    const grown = !before || size(this.extent) > 1.02 * size(before);
    if (this.touched || !grown) return;
    this.look(this.extent, new Vector3(0.45, 0.32, 0.83).normalize());
    this.lay(this.extent);
  }

  /** Puts what is visible of a frame into view. */
  fit(frame, look) {
    const box = boxOf(frame, (part) => look.get(part.name)?.visible !== false) ?? this.extent;
    if (box) this.look(box, this.camera.position.clone().sub(this.controls.target).normalize());
    this.touched = true;
  }

  look(box, towards) {
    const angle = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.radius = Math.max(size(box), 1e-6);
    this.controls.target.copy(box.low).add(box.high).multiplyScalar(0.5);
    this.camera.position.copy(this.controls.target).addScaledVector(towards, (this.radius * 0.98) / Math.sin(angle) / narrow);
    this.controls.update();
    this.touch();
  }

  along(axis) {
    const towards = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 1e-4), z: new Vector3(0, 0, 1) }[axis];
    const away = this.camera.position.distanceTo(this.controls.target);
    this.touched = true;
    this.camera.position.copy(this.controls.target).addScaledVector(towards.normalize(), away);
    this.controls.update();
    this.touch();
  }

  /** A grid under everything, its squares a round number of centimetres. */
  lay(box) {
    const rough = size(box) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    this.square = power * [1, 2, 5, 10].find((step) => step * power >= rough);
    const squares = 2 * Math.ceil((1.6 * size(box)) / this.square);
    const grid = new GridHelper(squares * this.square, squares, 0x4b5866, 0x36414d);
    const snap = (value) => Math.round(value / this.square) * this.square;
    grid.position.set(snap((box.low.x + box.high.x) / 2), box.low.y, snap((box.low.z + box.high.z) / 2));
    grid.material.transparent = true;
    grid.material.opacity = 0.55;
    grid.material.depthWrite = false;
    grid.renderOrder = -1;
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.dispose();
    }
    this.grid = grid;
    this.scene.add(grid);
  }

  // ---- picking and pictures

  /** The visible point nearest to the eye under a place of the canvas, in pixels of the page: {part, index, place}. */
  pick(x, y) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.frame) return undefined;
    this.camera.updateMatrixWorld();
    const matrix = this.camera.projectionMatrix.clone().multiply(this.camera.matrixWorldInverse).elements;
    const scale = height / (2 * Math.tan((this.camera.fov * Math.PI) / 360));
    let best;
    for (const part of this.frame.parts) {
      if (!part.arrays || !this.parts.get(part.name)?.object.visible || part.name === "colliders") continue;
      const data = part.arrays.position.data;
      for (let i = 0; i < part.points; i++) {
        const px = data[3 * i], py = data[3 * i + 1], pz = data[3 * i + 2];
        const depth = matrix[3] * px + matrix[7] * py + matrix[11] * pz + matrix[15];
        if (depth <= 0) continue;
        const sx = 0.5 * width * (1 + (matrix[0] * px + matrix[4] * py + matrix[8] * pz + matrix[12]) / depth) - x;
        const sy = 0.5 * height * (1 - (matrix[1] * px + matrix[5] * py + matrix[9] * pz + matrix[13]) / depth) - y;
        const reach = Math.max(PICK, ((part.radius ?? 0) * scale) / depth), away = sx * sx + sy * sy;
        if (away > reach * reach) continue;
        const rank = depth * (1 + 0.02 * Math.sqrt(away) / reach);
        if (!best || rank < best.rank) best = { part, index: i, rank, place: new Vector3(px, py, pz) };
      }
    }
    return best;
  }

  /** Where a point of a part lies on the canvas, in pixels of the page. */
  placeOf(part, index) {
    const at = new Vector3().fromArray(part.arrays.position.data, 3 * index).project(this.camera);
    return [0.5 * this.canvas.clientWidth * (1 + at.x), 0.5 * this.canvas.clientHeight * (1 - at.y)];
  }

  /** The picture as it is, on the ground's colour, as a PNG blob. */
  async shot(ground) {
    if (this.coarse) this.settle(false);
    this.renderer.render(this.scene, this.camera);
    const source = this.renderer.domElement;
    const copy = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
    const context = copy.getContext("2d");
    context.fillStyle = ground;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(source, 0, 0);
    return new Promise((done) => copy.toBlob(done, "image/png"));
  }

  draw() {
    const now = performance.now();
    if (this.began) this.cost = now - this.began;
    this.began = undefined;
    requestAnimationFrame(() => this.draw());
    if (!this.dirty || document.hidden) return;
    this.dirty = false;
    this.began = now;
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(away / 1000, (away - 8 * (this.radius ?? 1)) / 2);
    this.camera.far = away + 40 * (this.radius ?? 1);
    this.camera.updateProjectionMatrix();
    const height = this.renderer.domElement.height;
    const scale = height / (2 * Math.tan((this.camera.fov * Math.PI) / 360));
    for (const known of this.parts.values()) if (known.object.material.uniforms.scale) known.object.material.uniforms.scale.value = scale;
    this.renderer.render(this.scene, this.camera);
    this.pictures++;
    this.drawn?.();
  }
}

// ---- boxes

const SAMPLES = 3000;

function size(box) {
  return box.high.distanceTo(box.low) / 2;
}

function join(one, other) {
  return { low: one.low.clone().min(other.low), high: one.high.clone().max(other.high) };
}

/** Where the parts are. Of points a few that fly far away do not count. */
function boxOf(frame, takes) {
  let box;
  for (const part of frame.parts) {
    if (!part.arrays || part.points === 0 || !takes(part)) continue;
    const away = part.kind === "points" && part.points > 200 ? 0.004 : 0;
    const ends = [0, 1, 2].map((axis) => spread(part.arrays.position.data, 3, axis, away));
    const own = { low: new Vector3(...ends.map(([low]) => low)), high: new Vector3(...ends.map(([, high]) => high)) };
    box = box ? join(box, own) : own;
  }
  return box;
}

/** Lowest and highest of one component, from some of its values, leaving out a share at both ends. */
export function spread(data, width, component, away) {
  const count = data.length / width;
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const some = [];
  for (let i = 0; i < count; i += step) if (Number.isFinite(data[i * width + component])) some.push(data[i * width + component]);
  if (some.length === 0) return [0, 0];
  some.sort((one, other) => one - other);
  const left = Math.floor(away * (some.length - 1));
  return [some[left], some[some.length - 1 - left]];
}
