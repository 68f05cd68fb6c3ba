package inkling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A call of the library failed. The message is one line that says what was found and what was expected. */
public final class InkException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What {@link #at} counts. */
    public enum Location {
        /** Nothing: there is no location. */
        NOWHERE,
        /** A byte of a file, from 0. */
        BYTE,
        /** A line, from 1. */
        LINE,
        /** A key of a batch, from 0. */
        KEY
    }

    /** Why it failed. */
    private final Status status;
    /** What {@code at} counts. */
    private final Location location;
    /** The location. */
    private final long at;
    /** The errno of the system, or 0. */
    private final int osError;

    /** Called by native/inkling_jni.c. */
    InkException(int status, int location, long at, int osError, byte[] message) {
        this(
                Status.values()[status],
                Location.values()[location],
                at,
                osError,
                new String(message, StandardCharsets.UTF_8),
                null);
    }

    /** For what is refused before it reaches C. */
    InkException(Status status, String message) {
        this(status, Location.NOWHERE, 0, 0, message, null);
    }

    private InkException(
            Status status, Location location, long at, int osError, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
        this.location = location;
        this.at = at;
        this.osError = osError;
    }

    /** The same about a file, which the library does not name. */
    InkException about(Path path) {
        return new InkException(status, location, at, osError, path + ": " + getMessage(), this);
    }

    /** To another JVM its text goes: Spark's driver may not have this class, and would lose the whole report of a task. */
    private Object writeReplace() {
        RuntimeException plain = new RuntimeException(toString(), getCause());
        plain.setStackTrace(getStackTrace());
        return plain;
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return location == Location.NOWHERE || getCause() != null
                ? message
                : location.name().toLowerCase(java.util.Locale.ROOT) + " " + at + ": " + message;
    }

    /**
     * Why the call failed.
     *
     * @return the status of the library
     */
    public Status status() {
        return status;
    }

    /**
     * What {@link #at} counts.
     *
     * @return NOWHERE if there is no location
     */
    public Location location() {
        return location;
    }

    /**
     * The location that the message begins with.
     *
     * @return the number of a byte, line or key; 0 if there is none
     */
    public long at() {
        return at;
    }

    /**
     * The error number of the system, where it gave one.
     *
     * @return errno, or 0
     */
    public int osError() {
        return osError;
    }
}
