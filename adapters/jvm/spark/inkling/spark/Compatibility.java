package inkling.spark;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import scala.collection.immutable.Seq;

/** Whether the Catalyst that is there is that of the jar: asked when the functions are registered. */
final class Compatibility {
    private Compatibility() {}

    /** One exception at registration, in place of a method that is missing in the middle of a query. */
    static void check() {
        try {
            // What Catalyst calls has all of its abstract methods, or it is another Catalyst.
            for (Class<?> type :
                    List.of(
                            InkAggregate.class, InkScalar.class, BroadcastSketch.class, InkPartialAggregateExec.class,
                            InkFilterExec.class, SelectedColumn.class)) {
                for (Method method : type.getMethods()) {
                    if (Modifier.isAbstract(method.getModifiers())) {
                        throw new AbstractMethodError(method.toString());
                    }
                }
            }
        } catch (LinkageError error) {
            throw new IllegalStateException(
                    "inkling: found Spark " + org.apache.spark.package$.MODULE$.SPARK_VERSION() + " with Scala "
                            + scala.util.Properties.versionNumberString() + ", expected " + expected() + ": " + error,
                    error);
        }
    }

    /** What the classes were compiled for, by the sequences in their signatures. */
    private static String expected() {
        boolean isNew = Seq.class.getName().contains(".immutable.");
        return isNew ? "Spark 4 with Scala 2.13 (inkling-spark-4.jar)" : "Spark 3.5 with Scala 2.12 (inkling-spark-3.5.jar)";
    }
}
